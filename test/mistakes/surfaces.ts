import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { stringify } from 'yaml';
import { program } from '../fakes/program.ts';
import { serin } from '../scenarios/serin.ts';
import type { AlertReceiver } from './alert-receiver.ts';
import type { Reader } from './follow-remedy.ts';
import type { KubectlViews } from './kubectl-views.ts';
import type { Manifests, Mistake, Seconds, Surface } from './mistake.ts';

/** All that a user of one Canary looks at. */
export interface Views {
  kubectl: KubectlViews;
  alerts: AlertReceiver;
  reader: Reader;
  /** The dashboard's page of the Canary, which stays open; `undefined` while it is being opened. */
  page(): Page | undefined;
}

type Text = { atMs: number; text: string };

const PAUSE_MS = 500;
/** The alert of an end can arrive before the end is seen in the status. */
const ALERT_AHEAD_MS = 3_000;

/** Looks at these surfaces again and again until each has named the mistake, or `isOver`; and says when each did for the first time after `fromMs`. */
export async function watchSurfaces(
  mistake: Mistake,
  namespace: string,
  views: Views,
  surfaces: readonly Surface[],
  fromMs: number,
  isOver: () => boolean,
  /** The page follows the cluster a moment later: before it shows this, it is not counted. */
  pageShows = /./,
): Promise<{ seconds: Seconds; last: Record<string, string> }> {
  const seconds: Seconds = Object.fromEntries(surfaces.map((surface) => [surface, null]));
  const last: Record<string, string> = {};
  const name = mistake.canary ?? 'web';
  for (;;) {
    // A text that is read after the end says nothing of the time before it.
    if (isOver()) return { seconds, last };
    const open = surfaces.filter((surface) => seconds[surface] === null);
    await Promise.all(
      open.map(async (surface) => {
        const found = await textsOf(surface, namespace, name, views, fromMs);
        const texts = surface === 'page' ? found.filter(({ text }) => pageShows.test(text)) : found;
        const sinceMs = surface === 'alert' ? fromMs - ALERT_AHEAD_MS : fromMs;
        const named = texts.find(
          ({ atMs, text }) => atMs >= sinceMs && (surface === 'get' ? mistake.code : mistake.names).test(withoutName(text, namespace)),
        );
        if (named) {
          seconds[surface] = Math.max(0, Math.round((named.atMs - fromMs) / 100) / 10);
          delete last[surface];
        } else last[surface] = texts.at(-1)?.text ?? last[surface] ?? '';
      }),
    );
    if (surfaces.every((surface) => seconds[surface] !== null)) return { seconds, last };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function textsOf(surface: Surface, namespace: string, name: string, views: Views, fromMs: number): Promise<Text[]> {
  const atMs = performance.now();
  switch (surface) {
    case 'get':
    case 'describe': {
      const view = views.kubectl.of(namespace, name);
      return view === undefined ? [] : [{ atMs: view.atMs, text: view[surface] }];
    }
    case 'status':
    case 'why': {
      const { said, complained } = await serin(views.reader.kubeconfigFile, surface, name, '-n', namespace);
      return [{ atMs, text: unwrapped(surface, said || complained) }];
    }
    case 'page':
      return textsOfPage(views.page(), atMs);
    case 'alert':
      return views.alerts.since(namespace, fromMs - ALERT_AHEAD_MS);
    case 'validate':
      throw new Error('files do not change while a release waits');
    default:
      return surface satisfies never;
  }
}

/** The name of the namespace is that of the mistake, which says nothing: it reads `NAMESPACE`. */
export const withoutName = (text: string, namespace: string): string => text.replaceAll(namespace, 'NAMESPACE');

async function textsOfPage(page: Page | undefined, atMs: number): Promise<Text[]> {
  return page === undefined ? [] : [{ atMs, text: await page.locator('body').innerText() }];
}

/** Joins what the program has wrapped at 80 columns: the first paragraph of `status`, and the values of `why`, which begin at one column. */
export function unwrapped(surface: 'status' | 'why', text: string): string {
  const [first = '', ...rest] = text.split(/(?=\n\n)/);
  if (surface === 'why') return text.replaceAll(/\n {9}(?=\S)/g, ' ');
  return [first.replaceAll(/\n +/g, ' '), ...rest].join('');
}

/** Writes the manifests into a folder, as a user has them in a repository. */
export function writeManifests(folder: string, { deployment, canary, more }: Manifests): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'application.yaml');
  writeFileSync(file, [...more, deployment, canary].map((object) => stringify(object)).join('---\n'));
  return file;
}

/** Output of `serin validate`, with the cluster where the mistake is in what it lacks. */
export function validated(file: string, { kubeconfigFile }: Reader, isLive: boolean): Promise<string> {
  const args = ['validate', '--filename', file, ...(isLive ? ['--live', '--kubeconfig', kubeconfigFile] : [])];
  return new Promise((resolve) => {
    execFile(process.execPath, [program(), ...args], (_, said, complained) =>
      resolve(`${said}${complained}`.replaceAll(file, basename(file))),
    );
  });
}
