import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Something of a run that is on this machine. */
export interface Trace {
  kind: 'cgroup' | 'mount' | 'process';
  name: string;
}

const GROUPS = '/sys/fs/cgroup';

/** Groups, mounts and processes of the run of `namespaces.sh` with this folder, as seen from where it was started. */
export function tracesOf(folder: string): Trace[] {
  const group = `serin-node-${basename(folder)}`;
  const groups = foldersBelow(GROUPS).filter((path) => basename(path) === group);
  const mounts = linesOf('/proc/self/mountinfo').filter((line) => line.includes(`${folder}/`));
  const processes = readdirSync('/proc').filter(
    (entry) =>
      /^\d+$/.test(entry) &&
      Number(entry) !== process.pid &&
      // Without it: ended, and not yet reaped.
      linesOf(`/proc/${entry}/cmdline`).join('') !== '' &&
      (linesOf(`/proc/${entry}/cgroup`).some((line) => `${line}/`.includes(`/${group}/`)) ||
        linesOf(`/proc/${entry}/cmdline`).some((line) => line.includes(`\0${folder}\0`))),
  );
  return [
    ...groups.map((name) => ({ kind: 'cgroup', name }) as const),
    ...mounts.map((name) => ({ kind: 'mount', name }) as const),
    ...processes.map((name) => ({ kind: 'process', name }) as const),
  ];
}

/** Empty where it has ended meanwhile. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function foldersBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .flatMap((path) => [path, ...foldersBelow(path)]);
  } catch {
    return [];
  }
}
