#!/bin/sh
# `make run`: compiles the program and serves the official data included in it, with a demo account that has a public
# and a secret key. State and keys are created anew each time, the data only once; real data and accounts are not
# touched. The profile `quick` of Cargo.toml compiles soon; packages and releases are compiled to run fast.
set -eu

# The second of these texts in Japanese, else the first: by DAICHO_LANG, else by the locale as POSIX says.
words() {
    case ${DAICHO_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in
    ja | ja[_.@]*) printf '%s' "$2" ;;
    *) printf '%s' "$1" ;;
    esac
}

# Prints a paragraph of these lines.
say() {
    printf '\n'
    printf '  %s\n' "$@"
    printf '\n'
}

# Whether a program listens on the port of LISTEN and its address, or either of them on every address. The kernel
# lists sockets with their addresses in hexadecimal digits; state 0A is a listener. Without that list nothing is taken
# here, and the server reports it when it starts.
taken() {
    host=${LISTEN%:*}
    address=
    case $host in
    *[!0-9.]*) ;;
    *.*.*.*) address=$(IFS=. && set -- $host && printf '%02X%02X%02X%02X' "$4" "$3" "$2" "$1") ;;
    esac
    port=$(printf ':%04X' "${LISTEN##*:}")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v port="$port" -v address="$address" '
        $4 == "0A" && substr($2, length($2) - 4) == port {
            other = substr($2, 1, length($2) - 5)
            if (other == address || other ~ /^0*$/ || address ~ /^0*$/) found = 1
        }
        END { exit !found }'
}

if taken; then
    echo "$(words \
        "another program listens on $LISTEN: choose another port, for example make run LISTEN=127.0.0.1:8081" \
        "$LISTEN は別のプログラムが使用中です。make run LISTEN=127.0.0.1:8081 のように別のポートを指定してください")" >&2
    exit 1
fi

if [ -x "$DAICHO" ]; then
    say "$(words 'Compiling what changed since the last start: seconds if nothing did.' \
        '前回の起動から変わった部分をコンパイルします。変更がなければ数秒で終わります。')"
else
    say "$(words 'Compiling the server and its libraries: about 5 minutes on two cores, and only this time.' \
        'サーバーとライブラリをコンパイルします。2コアで約5分かかりますが、今回だけです。')" \
        "$(words 'A later start takes seconds. Packages and releases are optimised more than this program.' \
        '次回からの起動は数秒です。パッケージとリリースは、このプログラムより最適化されています。')"
fi
cargo build --profile quick --locked

state="$DEMO/daicho.db"
snapshots="$DEMO/included"
mkdir -p "$DEMO"
rm -f "$state" "$state-wal" "$state-shm"

if [ ! -d "$snapshots" ]; then
    say "$(words 'Building the data that the program includes: some seconds, and only this time.' \
        'プログラムに含まれるデータを作成します。数秒かかりますが、今回だけです。')"
fi
"$DAICHO" build included --out "$snapshots"
"$DAICHO" account create demo --plan enterprise --batch --state "$state" >/dev/null

key() {
    "$DAICHO" key create --account demo --json --state "$state" "$@" |
        sed -n 's/.*"key": *"\([^"]*\)".*/\1/p'
}
secret=$(key --kind secret --label servers)
public=$(key --kind public --label pages --origin "http://$LISTEN")

about=$(words "\
  The postal codes and addresses of the whole country (Japan Post, 29 May 2026) and the corporations of Tottori
  (National Tax Agency, 31 July 2026). Banks, schools and invoice issuers are not included;
  download them with \`daicho update bank school invoice --snapshots $snapshots\`.

  secret key  $secret   (for servers)
  public key  $public   (for pages from http://$LISTEN)
  dashboard   http://$LISTEN/dashboard   (no account name; the password is in $DEMO/admin-password)
  forms       http://$LISTEN/demo?key=$public   (address autofill for forms)" "\
  全国の郵便番号と住所（日本郵便、2026年5月29日）と鳥取県の法人（国税庁、2026年7月31日）があります。
  金融機関、学校、適格請求書発行事業者は含まれません。
  \`daicho update bank school invoice --snapshots $snapshots\` でダウンロードしてください。

  シークレットキー  $secret   （サーバー用）
  公開キー          $public   （http://$LISTEN のページ用）
  ダッシュボード    http://$LISTEN/dashboard   （アカウント名は空欄。パスワードは $DEMO/admin-password にあります）
  フォーム          http://$LISTEN/demo?key=$public   （住所フォームの自動入力）")

cat <<END

$about

  # $(words 'a postal code; the code of a large business (the prefecture of Tottori); the changes of the month' \
      '郵便番号、大口事業所の番号（鳥取県庁）、今月の変更')
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/1000001
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/6808570
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/updates/

  # $(words 'an address in its components; a search; a thousand addresses at once' \
      '住所の分割、検索、千件までの一括検索')
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode t=東京都千代田区霞ヶ関１丁目２−３
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode t=京都市中京区寺町通御池上る上本能寺前町488
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode 'q=丸の内 AND _type:1' -d facet=/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/batch/postalcode/search -d '{"queries":[{"t":"大阪市北区中之島1-3-20"}]}'

  # $(words 'a corporation by number; corporations by name; the municipalities of Tottori; the holidays of a year' \
      '番号から法人、名称から法人、鳥取県の市区町村、1年の祝日')
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/houjinbangou/2270001000870
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/houjinbangou --data-urlencode q=鳥取銀行 -d facet_area=/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/cities/31
  curl -H 'Authorization: Token $secret' 'http://$LISTEN/v1/holidays?year=2026'

  # $(words "a request from a page of $LISTEN with the public key" \
      "$LISTEN のページからの公開キーによるリクエスト")
  curl -H 'Authorization: Token $public' -H 'Origin: http://$LISTEN' http://$LISTEN/v1/whoami

END
exec "$DAICHO" serve --snapshots "$snapshots" --state "$state" --listen "$LISTEN" --dashboard on
