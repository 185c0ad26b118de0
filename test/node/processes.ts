import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Processes in a group whose path has this part: the uid of a pod, or the id of one of its containers. */
export async function processesIn(group: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const groups = await readFile(join('/proc', entry, 'cgroup'), 'utf8').catch(() => ''); // ended meanwhile
    if (groups.includes(group)) found.push(Number(entry));
  }
  return found;
}
