import { execFile } from 'node:child_process';
import type { ObjectRef } from '../../../src/api/kube-object.ts';
import type { Verb } from '../../../src/api/verb-request.ts';
import { onCluster } from '../../../src/cli/canaries/session.ts';
import { verbCommand } from '../../../src/cli/canaries/verb-command.ts';
import { RequestResult } from '../../../src/reading/documents/canary-documents.ts';
import { program } from '../../fakes/program.ts';
import type { Environment } from '../environment.ts';
import { surroundings } from '../world.ts';

/** Timeout for an answer, on a busy machine. */
const TIMEOUT = '4m';

/** An exit code, and what was printed. */
export interface Commanded {
  code: number;
  result: RequestResult;
}
export type Command = (environment: Pick<Environment, 'kubeconfigFile'>, canary: ObjectRef, verb: Verb) => Promise<Commanded>;

/** `serin VERB NAME --output json`, in this process. */
export const command: Command = async ({ kubeconfigFile }, { namespace = '', name }, verb) => {
  let text = '';
  const streams = { out: { write: (more: string) => (text += more) }, err: { write: () => undefined } };
  const flags = { kubeconfig: kubeconfigFile, namespace, output: 'json' } as const;
  const code = await onCluster(flags, (session) => verbCommand(session, verb, name, { wait: true, timeout: TIMEOUT }), {
    ...surroundings(),
    env: {},
    streams,
  });
  return { code, result: RequestResult.parse(JSON.parse(text)) };
};

/** The same in a process of its own. */
export const commandProcess: Command = ({ kubeconfigFile }, { namespace = '', name }, verb) =>
  new Promise((resolve, reject) => {
    const flags = { kubeconfig: kubeconfigFile, namespace, output: 'json', timeout: TIMEOUT };
    const args = [program(), verb, name, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)];
    const child = execFile(process.execPath, args, (_, out, err) => {
      try {
        resolve({ code: child.exitCode ?? -1, result: RequestResult.parse(JSON.parse(out)) });
      } catch (cause) {
        reject(new Error(`serin ${verb} ${name} printed ${JSON.stringify(out)}, and ${err}`, { cause }));
      }
    });
  });
