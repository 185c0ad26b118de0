import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeRegex } from '../../src/routers/regex-text.ts';
import { BOUND_MS } from './until.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
/** Some commands wait by themselves, as a reader would. */
const LONGEST_MS = 4 * BOUND_MS;

/** One fence ```` ```sh ```` of a page. */
export interface DocBlock {
  /** Heading of its section, without the number signs. */
  heading: string;
  /** Terminal of a command that stays in the foreground, by its name (```` ```sh terminal=NAME ````). */
  terminal?: string;
  script: string;
  /** Expected output, from the fence ```` ```text shows ```` after it: `…` matches any text, and lines can be left out. */
  shows?: string;
}

/** The commands of a page, named as seen from docs/, for a shell, in order; fences without `sh` are not for running. */
export function docBlocks(page: string): DocBlock[] {
  const blocks: DocBlock[] = [];
  let heading = '';
  let open: DocBlock | undefined;
  let isForeign = false;
  let isShown = false;
  for (const line of readFileSync(join(DOCS, page), 'utf8').split('\n')) {
    const fence = /^```(\S*)(?: terminal=(\S+))?/.exec(line);
    if (open && fence) {
      blocks.push(open);
      open = undefined;
    } else if (open) open.script += `${line}\n`;
    else if (isShown && fence) isShown = false;
    else if (isShown) addShown(blocks, line);
    else if (line === '```text shows') isShown = true;
    else if (fence && (isForeign || fence[1] !== 'sh')) isForeign = !isForeign;
    else if (fence) open = { heading, script: '', ...(fence[2] === undefined ? {} : { terminal: fence[2] }) };
    else if (!isForeign && line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  return blocks;
}

function addShown(blocks: readonly DocBlock[], line: string): void {
  const last = blocks.at(-1);
  if (last === undefined) throw new Error(`a page shows "${line}" before any command`);
  last.shows = `${last.shows ?? ''}${line}\n`;
}

/** Lines of `shows` that an output does not have, in this order. */
export function notShown(shows: string, output: string): string[] {
  const lines = output.split('\n');
  return shows.split('\n').filter((wanted) => {
    if (wanted.trim() === '') return false;
    const pattern = new RegExp(`^${wanted.split('…').map(escapeRegex).join('.*')}$`);
    const at = lines.findIndex((line) => pattern.test(line));
    lines.splice(0, at + 1);
    return at === -1;
  });
}

/** Commands of one section, one after the other, as one script. */
export function sectionScript(page: string, heading: string): string {
  const found = docBlocks(page).filter((block) => block.heading === heading);
  if (found.length === 0) throw new Error(`docs/${page} has no commands under "${heading}"`);
  return found.map(({ script }) => script).join('');
}

export interface Shown {
  exit: number | null;
  output: string;
}

/** Runs a script as a reader would who stops at the first failure. Asynchronous, since the embedded cluster lives in this process. */
export function runScript(script: string, env: NodeJS.ProcessEnv, cwd: string = join(DOCS, '..')): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => {
        output += part;
      });
    }
    child.once('error', reject);
    child.once('close', (exit) => resolve({ exit, output }));
  });
}
