import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** A lock is left behind by a run that was killed hard; a living run touches it all the time. */
const LOCK_STALE_MS = 60_000;
const LOCK_LOOK_MS = 1000;

/** One builder at a time, across processes; the others wait and then find the programs. */
export async function withLock<Result>(path: string, say: (line: string) => void, work: () => Promise<Result>): Promise<Result> {
  for (let isTold = false; !takeLock(path); isTold = true) {
    if (!isTold) say(`another run builds the same programs (lock ${path}): waiting for it`);
    await new Promise((resolve) => setTimeout(resolve, LOCK_LOOK_MS));
  }
  const touching = setInterval(() => touch(path), LOCK_STALE_MS / 6);
  const release = () => {
    clearInterval(touching);
    rmSync(path, { force: true });
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function takeLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = lockHolder(path);
  if (holder === undefined || isAlive(holder)) return false;
  rmSync(path, { force: true });
  return false;
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // the cache folder was cleared
  }
}

/** `undefined` if it is not locked, or not written yet. */
function lockHolder(path: string): number | undefined {
  try {
    if (Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS) rmSync(path, { force: true });
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
