import { ensureGoTool, type GoTool } from './e2e-go-tool.ts';

const GITOPS_STATUS: GoTool = {
  name: 'gitops-status',
  module: 'github.com/argoproj/argo-cd/v3',
  package: '.',
  purpose: 'the end-to-end tests read from it what Argo CD and Flux say of a Canary',
};

/** Path of the program that says what Argo CD and Flux say of an object. */
export const ensureGitopsStatus = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(GITOPS_STATUS, say);

if (import.meta.main) process.stdout.write(`${await ensureGitopsStatus((line) => void process.stdout.write(`${line}\n`))}\n`);
