#!/bin/sh
# `make run`: builds sample snapshots, creates a demo account with a public and a secret key, and serves.
# The demo has files of its own, created anew each time; it does not touch real data or accounts.
set -eu

state="$DEMO/daicho.db"
snapshots="$DEMO/snapshots"
mkdir -p "$DEMO"
rm -f "$state" "$state-wal" "$state-shm"

"$DAICHO" build sample --out "$snapshots"
"$DAICHO" account create demo --plan enterprise --batch --state "$state" >/dev/null

key() {
    "$DAICHO" key create --account demo --json --state "$state" "$@" |
        sed -n 's/.*"key": *"\([^"]*\)".*/\1/p'
}
secret=$(key --kind secret)
public=$(key --kind public --origin "http://$LISTEN")

cat <<END

  secret key  $secret   (for servers)
  public key  $public   (for pages from http://$LISTEN)
  dashboard   http://$LISTEN/dashboard   (no account name; the password is in $DEMO/admin-password)

  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/1000001
  curl -H 'Authorization: Token $secret' 'http://$LISTEN/v1/postalcode/1000001?version=2026-05-29'
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/versions/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/updates/
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode t=東京都千代田区千代田1-1
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/postalcode/ --data-urlencode 'q=千代田 AND _type:1' -d facet=/
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/batch/postalcode/search -d '{"queries":[{"t":"東京都千代田区千代田1-1"}]}'
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/cities/13
  curl -G -H 'Authorization: Token $secret' http://$LISTEN/v1/houjinbangou --data-urlencode q=台帳 -d facet_area=/
  curl -H 'Authorization: Token $secret' 'http://$LISTEN/v1/invoice/T6010001999901?date=2026-04-01'
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/bank
  curl -H 'Authorization: Token $secret' http://$LISTEN/v1/bank/0001/branches/010
  curl -H 'Authorization: Token $public' -H 'Origin: http://$LISTEN' http://$LISTEN/v1/whoami

END
exec "$DAICHO" serve --snapshots "$snapshots" --state "$state" --listen "$LISTEN" --dashboard on
