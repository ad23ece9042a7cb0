# Keeps one PostgreSQL for a test run, and ends it with the run. Started once, in a session of its own, by the first
# test that needs it:  sh keeper.sh STATE DATA BIN RUNNER ACCOUNT
#
# STATE    holds the locks, the log, and the file `ready`, which names the socket's folder while the server takes work
# DATA     an empty folder for the data and the socket; removed at the end
# RUNNER   the process that runs the tests: once it is gone and nobody uses the server, the server ends at once
# ACCOUNT  who the server runs as; empty: whoever runs this
#
# Every user of the server holds a shared lock on STATE/users, which the system takes back however the user ends. This
# looks ten times a second whether there is one. It holds STATE/keeper all its life, so that what it left behind when
# it was killed is known for what it is; the server is told by the system when this is gone.
set -u
state=$1 data=$2 bin=$3 runner=$4 account=$5

exec 8>"$state/keeper" 9>"$state/users"
flock -n -x 8 || exit 1

# Becomes a program of the account, with no lock of ours, which is told to stop when its parent is gone.
become() {
    if [ -n "$account" ]; then
        set -- --reuid="$account" --regid="$account" --clear-groups "$@"
    fi
    exec setpriv --pdeathsig QUIT "$@" 8>&- 9>&-
}

[ -z "$account" ] || chown "$account:" "$data"
(become "$bin/initdb" --pgdata="$data/db" --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync) \
    >/dev/null || exit 1
mkdir "$data/socket" && chmod 700 "$data/socket" || exit 1
[ -z "$account" ] || chown "$account:" "$data/socket"

# No port, so none can be taken, and nobody else on this computer reaches it. Commits are as safe as on a real server.
become "$bin/postgres" -D "$data/db" -c listen_addresses= -c unix_socket_directories="$data/socket" \
    -c max_connections=300 -c shared_buffers=256MB -c max_wal_size=4GB -c fsync=on -c synchronous_commit=on \
    -c log_min_messages=error -c log_checkpoints=off &
server=$!

until "$bin/pg_isready" --quiet --host="$data/socket"; do
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.05
done
printf '%s\n' "$data/socket" >"$state/ready.new" && mv "$state/ready.new" "$state/ready"

idle=0
while kill -0 "$server" 2>/dev/null; do
    sleep 0.1
    if flock -n -x 9; then
        # Nobody can begin to use it while this lock is held.
        idle=$((idle + 1))
        if [ "$idle" -gt 50 ] || ! kill -0 "$runner" 2>/dev/null; then
            break
        fi
        flock -u 9
    else
        idle=0
    fi
done

rm -f "$state/ready"
kill -QUIT "$server" 2>/dev/null
wait "$server"
rm -rf "$data"
