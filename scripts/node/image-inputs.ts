import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

/** Files by whose content the image of Serin is made: the Dockerfile, and what it copies of the repository. Paths from the root, in an order of their own. */
export function imageInputs(root: string): string[] {
  const ignored = ignoredIn(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const copied = copiedIn(readFileSync(join(root, 'Dockerfile'), 'utf8')).flatMap((path) => filesOf(root, path));
  return ['Dockerfile', '.dockerignore', ...copied.filter((file) => !ignored.some((pattern) => matchesGlob(file, pattern)))].toSorted();
}

/** Sources of each COPY but those of another stage. */
const copiedIn = (dockerfile: string): string[] =>
  [...dockerfile.matchAll(/^COPY (?!--from=)(.+)$/gm)].flatMap(([, paths = '']) => paths.split(/\s+/).slice(0, -1));

/** Patterns of what stays out of the folders that are let in. */
const ignoredIn = (dockerignore: string): string[] =>
  dockerignore.split('\n').filter((line) => line !== '' && line !== '*' && !line.startsWith('#') && !line.startsWith('!'));

function filesOf(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
