#!/bin/bash
# A further node beside the one of `namespaces.sh`, run in its namespaces: network, mounts, host name and cgroups of its own, and a cable into the bridge of
# the first one. It says `ready` and the id of its first process, and lives until it is killed.
# usage: second-node.sh FOLDER NAME ADDRESS POD-RANGE
#        second-node.sh enter NAME PID COMMAND…    runs a command in it, with PID of its first process
#        second-node.sh end NAME                   kills every process in it, and its containers with them
set -eu
# `nsenter` joins no groups, and a new namespace of cgroups begins at the group that one is in.
join_groups() { # name
  local each dir
  for each in /sys/fs/cgroup/*/; do
    [ -e "$each/cgroup.procs" ] || continue
    dir=$each$1
    if [ ! -d "$dir" ]; then
      mkdir "$dir"
      if [ -e "$dir/cpuset.cpus" ] && [ -e "$dir/cgroup.clone_children" ]; then
        cat "$each/cpuset.cpus" >"$dir/cpuset.cpus"
        cat "$each/cpuset.mems" >"$dir/cpuset.mems"
        echo 1 >"$dir/cgroup.clone_children"
      fi
      # As in namespaces.sh, with fewer programs.
      if [ -e "$dir/cpu.shares" ]; then echo 8192 >"$dir/cpu.shares"; fi
      if [ -e "$dir/cpu.weight" ]; then echo 800 >"$dir/cpu.weight"; fi
    fi
    echo $$ >"$dir/cgroup.procs"
  done
}
if [ "$1" = enter ]; then
  join_groups "$2"
  exec nsenter --target "$3" --net --mount --uts --cgroup -- "${@:4}"
fi
if [ "$1" = end ]; then
  for _ in $(seq 100); do
    mapfile -t left < <(find /sys/fs/cgroup/*/"$2" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u)
    [ "${#left[@]}" -gt 0 ] || exit 0
    kill -KILL "${left[@]}" 2>/dev/null || true
    sleep 0.1
  done
  echo "processes of $2 go on: ${left[*]}" >&2
  exit 1
fi
folder=$1 name=$2 address=$3 pods=$4
if [ "${SERIN_NODE_INSIDE:-}" != yes ]; then
  join_groups "$name"
  export SERIN_NODE_INSIDE=yes
  exec unshare --net --mount --uts --cgroup "${BASH_SOURCE[0]}" "$@"
fi
mount --make-rprivate /
mount --make-rshared /
hostname "$name"
. "${BASH_SOURCE[0]%/*}/own-mounts.sh"
ip link set lo up
# Process 1 is in the network of the first node.
ip link add node0 type veth peer name "$name" netns 1
nsenter --target 1 --net ip link set "$name" master node0 up
ip addr add "$address/24" dev node0
ip link set node0 up
ip route add default via "$SERIN_NODE_ADDRESS"
nsenter --target 1 --net ip route replace "$pods" via "$address"
echo 1 >/proc/sys/net/ipv4/ip_forward
echo "ready $$"
exec sleep infinity
