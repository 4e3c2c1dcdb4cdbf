# shellcheck shell=bash disable=SC2154 # variables of scripts/services, which reads this file
# Neo4j 5 Community out of Maven artifacts, Bolt only, for scripts/services.

NEO4J_VERSION=5.26.30 # the last line that runs on Java 17; pom.xml has the same number
NEO4J_MAIN=org.neo4j.server.CommunityEntryPoint
NEO4J_START_SECONDS=120
NEO4J_STOP_SECONDS=30

neo4j_jars() { echo "$cache/neo4j-$NEO4J_VERSION"; }
neo4j_home() { echo "$state/neo4j"; }
neo4j_port() { cat -- "$(neo4j_home)/port"; }
neo4j_url() { echo "HEDDLE_TEST_NEO4J_URL=bolt://127.0.0.1:$(neo4j_port)"; }

# The server's process id. The command line is compared too: ids are used again.
neo4j_process() {
  local home process
  home=$(neo4j_home)
  [[ -r $home/process ]] || return 1
  process=$(<"$home/process")
  [[ $process =~ ^[0-9]+$ && -r /proc/$process/cmdline ]] || return 1
  tr '\0' '\n' <"/proc/$process/cmdline" | grep -Fxq -- "--home-dir=$home" || return 1
  echo "$process"
}

# Ready means that the server agrees to a protocol version: the magic number and four proposals
# (5.4 and older) out, four bytes that are not all zero back.
neo4j_answers() { # $1: port
  local agreed
  agreed=$(neo4j_handshake "$1" 2>/dev/null) && [[ ${#agreed} -eq 8 && $agreed != 00000000 ]]
}

neo4j_handshake() { # $1: port
  exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
  printf '\x60\x60\xb0\x17\x00\x04\x04\x05\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00' >&3
  timeout 5 head -c 4 <&3 | od -An -tx1 | tr -d ' \n'
}

neo4j_install() {
  require_command java openjdk-17-jre-headless
  [[ -f $(neo4j_jars)/.complete ]] || require_command mvn maven
  install_once "$(neo4j_jars)" neo4j_fetch
}

neo4j_fetch() { # $1: empty folder
  mvn --batch-mode --quiet --no-transfer-progress -Dstyle.color=never --file "$here/services.d/pom.xml" \
    "-Dneo4j.version=$NEO4J_VERSION" dependency:copy-dependencies \
    "-DoutputDirectory=$1" -DincludeScope=runtime >&2
  ls "$1"/neo4j-server-"$NEO4J_VERSION".jar >/dev/null
}

neo4j_configure() { # $1: port
  local home
  home=$(neo4j_home)
  mkdir -p -- "$home"/{conf,data,logs,run,plugins,import}
  cat >"$home/conf/neo4j.conf" <<CONF
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:$1
server.bolt.advertised_address=127.0.0.1:$1
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.usage_report.enabled=false
server.memory.heap.max_size=${HEDDLE_SERVICES_NEO4J_HEAP:-768m}
server.memory.pagecache.size=128m
db.tx_log.rotation.retention_policy=keep_none
db.tx_log.rotation.size=16m
db.tx_log.preallocate=false
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
CONF
}

# Starts the server and waits until it answers; false when it ended or took too long.
neo4j_launch() { # $1: port
  local home process deadline=$((SECONDS + NEO4J_START_SECONDS))
  home=$(neo4j_home)
  # Only the first compiler tier: a test server starts in half the time.
  setsid nohup java -Xms256m "-Xmx${HEDDLE_SERVICES_NEO4J_HEAP:-768m}" -XX:TieredStopAtLevel=1 \
    -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -XX:-OmitStackTraceInFastThrow \
    --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
    -Dio.netty.tryReflectionSetAccessible=true -Dlog4j2.disable.jmx=true -Dfile.encoding=UTF-8 \
    -cp "$(neo4j_jars)/*" "$NEO4J_MAIN" "--home-dir=$home" "--config-dir=$home/conf" \
    >"$home/logs/stdout.log" 2>&1 </dev/null 9>&- &
  process=$!
  echo "$process" >"$home/process"
  echo "$1" >"$home/port"
  until neo4j_answers "$1"; do
    if ! kill -0 "$process" 2>/dev/null || ((SECONDS >= deadline)); then
      kill -KILL "$process" 2>/dev/null || true
      wait "$process" 2>/dev/null || true
      rm -f -- "$home/process"
      return 1
    fi
    sleep 0.1
  done
}

neo4j_start() {
  local home port
  home=$(neo4j_home)
  if neo4j_process >/dev/null; then
    neo4j_answers "$(neo4j_port)" || die "runs, but does not answer on port $(neo4j_port)"
    neo4j_url
    return 0
  fi
  neo4j_install
  port=$(pick_port "${HEDDLE_SERVICES_NEO4J_PORT:-}" 17687)
  neo4j_configure "$port"
  if ! neo4j_launch "$port"; then
    say "the server does not start; once more with empty data"
    tail -n 20 -- "$home/logs/stdout.log" >&2 2>/dev/null || true
    rm -rf -- "$home/data"
    neo4j_configure "$port"
    neo4j_launch "$port" || {
      tail -n 40 -- "$home/logs/stdout.log" >&2 2>/dev/null || true
      die "the server did not start"
    }
  fi
  say "running on port $port, data in $home/data"
  neo4j_url
}

neo4j_stop() {
  local process deadline=$((SECONDS + NEO4J_STOP_SECONDS))
  if ! process=$(neo4j_process); then
    say 'not running'
    return 0
  fi
  kill -TERM "$process"
  while neo4j_process >/dev/null; do # a zombie has no command line and counts as gone
    if ((SECONDS >= deadline)); then
      say "no clean stop in $NEO4J_STOP_SECONDS s, killing process $process"
      kill -KILL "$process" 2>/dev/null || true
      break
    fi
    sleep 0.1
  done
  rm -f -- "$(neo4j_home)/process"
  say stopped
}

neo4j_status() {
  local process
  if process=$(neo4j_process) && neo4j_answers "$(neo4j_port)"; then
    say "running, Neo4j $NEO4J_VERSION, process $process"
    neo4j_url
  else
    say 'not running'
    return 3
  fi
}
