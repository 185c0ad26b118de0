import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { ensureHelm } from '../../scripts/e2e-go-tool.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..', 'charts');

/** The charts as a release has them: with an image. Those of the checkout have none, and are refused. */
export const CHARTS = withImage('serin');

function withImage(repository: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'serin-charts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(CHECKOUT, folder, { recursive: true });
  for (const chart of readdirSync(folder)) {
    const file = join(folder, chart, 'values.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^( {2}repository:) ""$/m, `$1 ${repository}`));
  }
  return folder;
}

export interface Ran {
  code: number;
  /** Text of the standard output. */
  said: string;
  /** Text of the standard error. */
  complained: string;
}

/** Runs a program to its end; a code that is not 0 is an answer. */
export function runProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 20_000_000 };
    const child = execFile(program, args, options, (error, said, complained) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said, complained }),
    );
    child.stdin?.on('error', () => undefined); // the program can exit before it has read
    child.stdin?.end(stdin);
  });
}

export interface Helm {
  run(...args: string[]): Promise<Ran>;
  /** The objects of a chart with these values, in the release `serin` of the namespace `serin`. */
  render(chart: string, values?: object): Promise<KubeObject[]>;
  /** The same values as a file, for other commands. */
  valuesFile(values: object): string;
  stop(): void;
}

/** A helm with caches and settings of its own. */
export async function startHelm(kubeconfig?: string): Promise<Helm> {
  const program = await ensureHelm();
  const folder = mkdtempSync(join(tmpdir(), 'serin-helm-'));
  const env = {
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
    ...(kubeconfig && { KUBECONFIG: kubeconfig }),
  };
  let files = 0;
  const helm: Helm = {
    run: (...args) => runProgram(program, args, env),
    async render(chart, values = {}) {
      const file = helm.valuesFile(values);
      const ran = await helm.run('template', 'serin', join(CHARTS, chart), '--namespace', 'serin', '--values', file);
      if (ran.code !== 0) throw new Error(ran.complained);
      return objectsIn(ran.said);
    },
    valuesFile(values) {
      const file = join(folder, `values-${files++}.yaml`);
      writeFileSync(file, stringify(values));
      return file;
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
  return helm;
}

/** `helm install` makes these objects of a rendered chart; `helm test` makes the others. */
export const isInstalled = ({ metadata }: KubeObject): boolean => metadata.annotations?.['helm.sh/hook'] === undefined;

export function objectsIn(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors;
    if (problem) throw problem;
    // A document that contains only a comment is null.
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}
