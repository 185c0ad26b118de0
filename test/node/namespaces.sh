#!/bin/bash
# Runs a command in namespaces of its own (network, mounts, processes, cgroups, IPC and host name) in which a real Kubernetes node can live, and ends with its
# exit code. When the command ends, or this script is stopped, every process in them is killed, and mounts, network and cgroups are gone.
# usage: namespaces.sh FOLDER COMMAND…    FOLDER: an absolute path; holds what containers write, on a file system that overlayfs takes
set -eu
if [ "${SERIN_NODE_INSIDE:-}" = yes ]; then
  # Process 1 of the namespaces from here on.
  folder=$1
  shift
  mount --make-rprivate /
  mount --make-rshared /
  hostname node1
  # Settings of the whole machine that a kubelet writes: it gets files in their place.
  mkdir -p "$folder/sysctl"
  for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    file=$folder/sysctl/${name//\//_}
    cat "/proc/sys/$name" >"$file"
    mount --bind "$file" "/proc/sys/$name"
  done
  . "${BASH_SOURCE[0]%/*}/own-mounts.sh"
  ip link set lo up
  # A bridge has a carrier only with a cable in it; further nodes are plugged into it. Some kernels have no device of type dummy.
  ip link add node0 type bridge
  ip link add plug0 type veth peer name plug1
  ip link set plug0 master node0 up
  ip link set plug1 up
  ip addr add "$SERIN_NODE_ADDRESS/24" dev node0
  ip link set node0 up
  ip route add default dev node0 src "$SERIN_NODE_ADDRESS"
  echo 1 >/proc/sys/net/ipv4/ip_forward
  unset SERIN_NODE_INSIDE
  "$@" &
  command=$!
  trap 'kill -TERM $command 2>/dev/null' TERM INT
  # Also ends processes that lost their parents, as process 1 has to.
  while kill -0 "$command" 2>/dev/null; do wait -n || true; done
  wait "$command"
  exit $?
fi

# What the programs of a node write is in the folder: these are mounted over.
export SERIN_NODE_FOLDERS=${SERIN_NODE_FOLDERS:-/var/lib/kubelet /var/lib/containerd /var/lib/cni /etc/cni /var/log /etc/containerd}
groups=()
name=serin-node-${1##*/}
# Runs side by side use the same folders of the machine. The last one removes what the first one made, since the removal of a folder takes what other
# namespaces have mounted over it: each run holds a lock on the list as long as it lives, and the other lock while it enters or leaves.
lock=${SERIN_NODE_LOCK:-/run}
made=$lock/serin-node.made
exec 8<"$lock"
flock 8
exec 9>>"$made"
flock -s 9
for each in $SERIN_NODE_FOLDERS; do if [ ! -d "$each" ]; then mkdir -p "$each"; echo "$each" >>"$made"; fi; done
# A group below the one that we are in, in each hierarchy: those of the containers are below it, and go with it.
join_group() { # folder of the hierarchy, path of our group in it
  local dir=$1${2%/}/$name each
  # Of a run that was killed: one that lives has a process in its group.
  for each in "${dir%/*}"/serin-node-*/; do
    if [ -z "$(find "$each" -name cgroup.procs -exec cat {} + 2>/dev/null)" ]; then find "$each" -depth -type d -exec rmdir {} \; 2>/dev/null || true; fi
  done
  mkdir "$dir"
  groups+=("$dir")
  if [ -e "$dir/cpuset.cpus" ] && [ -e "$dir/cgroup.clone_children" ]; then
    cat "$1$2/cpuset.cpus" >"$dir/cpuset.cpus"
    cat "$1$2/cpuset.mems" >"$dir/cpuset.mems"
    echo 1 >"$dir/cgroup.clone_children"
  fi
  # Else all of it weighs as much as one process outside, and where other work goes on, its pods wait for seconds.
  if [ -e "$dir/cpu.shares" ]; then echo 16384 >"$dir/cpu.shares"; fi
  if [ -e "$dir/cpu.weight" ]; then echo 1600 >"$dir/cpu.weight"; fi
  echo $BASHPID >"$dir/cgroup.procs"
}
child=
leave() {
  local status=$?
  set +e
  trap '' TERM INT
  if [ -n "$child" ]; then kill -KILL "$child" 2>/dev/null; wait "$child" 2>/dev/null; fi
  for dir in "${groups[@]}"; do echo $$ >"${dir%/*}/cgroup.procs"; done
  for dir in "${groups[@]}"; do
    for _ in $(seq 100); do
      find "$dir" -depth -type d -exec rmdir {} \; 2>/dev/null
      [ -d "$dir" ] || break
      sleep 0.1
    done
    [ -d "$dir" ] && echo "the cgroup $dir could not be removed" >&2
  done
  flock 8
  if flock -n -x 9; then
    while read -r dir; do rmdir "$dir"; done <"$made"
    rm "$made"
  fi
  exit "$status"
}
trap leave EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
export SERIN_NODE_HIERARCHIES='' SERIN_NODE_CGROUP=1
[ -e /sys/fs/cgroup/cgroup.controllers ] && SERIN_NODE_CGROUP=2
# Read at once: it changes with each group that is joined.
mine=$(cat /proc/self/cgroup)
while IFS=: read -r _ controllers path; do
  if [ -n "$controllers" ]; then
    dir=/sys/fs/cgroup/${controllers#name=}
    SERIN_NODE_HIERARCHIES="$SERIN_NODE_HIERARCHIES $controllers"
  elif [ -d /sys/fs/cgroup/unified ]; then
    dir=/sys/fs/cgroup/unified
  else
    dir=/sys/fs/cgroup
  fi
  if [ -d "$dir" ]; then join_group "$dir" "$path"; fi
done <<<"$mine"
export SERIN_NODE_INSIDE=yes SERIN_NODE_ADDRESS=${SERIN_NODE_ADDRESS:-10.255.0.2}
flock -u 8
# Ends with this script, even where that is killed.
setpriv --pdeathsig KILL unshare --net --mount --pid --ipc --uts --cgroup --fork --kill-child=KILL --mount-proc "${BASH_SOURCE[0]}" "$@" 8<&- 9>&- &
child=$!
wait "$child" && status=0 || status=$?
child=
exit "$status"
