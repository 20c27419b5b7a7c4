#!/bin/sh
# `make run`: serves the official data included in the program, with a demo account that has a public and a secret
# key. State and keys are created anew each time, the data only once; real data and accounts are not touched.
set -eu

state="$DEMO/daicho.db"
snapshots="$DEMO/included"
mkdir -p "$DEMO"
rm -f "$state" "$state-wal" "$state-shm"

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
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/680-8570
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
