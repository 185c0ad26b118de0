# Sourced in new namespaces of mounts and cgroups, with $folder: /sys with the groups below our own, an empty /run, and folders of the node in place of the machine's.
umount -R /sys
mount -t sysfs sysfs /sys
if [ "$SERIN_NODE_CGROUP" = 2 ]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
  mount -t tmpfs tmpfs /sys/fs/cgroup
  for each in $SERIN_NODE_HIERARCHIES; do
    mkdir -p "/sys/fs/cgroup/${each#name=}"
    mount -t cgroup -o "${each/name=systemd/none,name=systemd}" cgroup "/sys/fs/cgroup/${each#name=}"
  done
  mkdir -p /sys/fs/cgroup/unified
  mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
fi
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/netns
for each in $SERIN_NODE_FOLDERS; do
  mkdir -p "$folder$each"
  mount --bind "$folder$each" "$each"
done
