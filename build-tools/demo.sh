#!/bin/sh
# `make run`: compiles the program and serves the official data included in it, with a demo account that has a public
# and a secret key. State and keys are created anew each time, the data only once; real data and accounts are not
# touched. The profile `quick` of Cargo.toml compiles soon; packages and releases are compiled to run fast.
set -eu

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
    echo "another program listens on $LISTEN: choose another port, for example make run LISTEN=127.0.0.1:8081" >&2
    exit 1
fi

if [ -x "$DAICHO" ]; then
    say 'Compiling what changed since the last start: seconds if nothing did.'
else
    say 'Compiling the server and its libraries: about 5 minutes on two cores, and only this time.' \
        'A later start takes seconds. Packages and releases are optimised more than this program.'
fi
cargo build --profile quick --locked

state="$DEMO/daicho.db"
snapshots="$DEMO/included"
mkdir -p "$DEMO"
rm -f "$state" "$state-wal" "$state-shm"

if [ ! -d "$snapshots" ]; then
    say 'Building the data that the program includes: some seconds, and only this time.'
fi
"$DAICHO" build included --out "$snapshots"
"$DAICHO" account create demo --plan enterprise --batch --state "$state" >/dev/null

key() {
    "$DAICHO" key create --account demo --json --state "$state" "$@" |
        sed -n 's/.*"key": *"\([^"]*\)".*/\1/p'
}
secret=$(key --kind secret --label servers)
public=$(key --kind public --label pages --origin "http://$LISTEN")

cat <<END

  The postal codes and addresses of the whole country (Japan Post, 29 May 2026) and the corporations of Tottori
  (National Tax Agency, 31 July 2026). Banks, schools and invoice issuers are not included;
  download them with \`daicho update bank school invoice --snapshots $snapshots\`.

  secret key  $secret   (for servers)
  public key  $public   (for pages from http://$LISTEN)
  dashboard   http://$LISTEN/dashboard   (no account name; the password is in $DEMO/admin-password)
  forms       http://$LISTEN/demo?key=$public   (address autofill for forms)

  # a postal code; the code of a large business (the prefecture of Tottori); the changes of the month
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/1000001
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/6808570
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/updates/

  # an address in its components; a search; a thousand addresses at once
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode t=東京都千代田区霞ヶ関１丁目２−３
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode t=京都市中京区寺町通御池上る上本能寺前町488
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode 'q=丸の内 AND _type:1' -d facet=/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/batch/postalcode/search -d '{"queries":[{"t":"大阪市北区中之島1-3-20"}]}'

  # a corporation by number; corporations by name; the municipalities of Tottori; the holidays of a year
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/houjinbangou/2270001000870
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/houjinbangou --data-urlencode q=鳥取銀行 -d facet_area=/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/cities/31
  curl -H 'Authorization: Token $secret' 'http://$LISTEN/v1/holidays?year=2026'

  # a request from a page of $LISTEN with the public key
  curl -H 'Authorization: Token $public' -H 'Origin: http://$LISTEN' http://$LISTEN/v1/whoami

END
exec "$DAICHO" serve --snapshots "$snapshots" --state "$state" --listen "$LISTEN" --dashboard on
