import type { Command } from 'commander';
import type { Provider } from '../../api/canary.ts';
import { nameOf, noted, withCluster } from '../canaries/flags.ts';
import type { ClusterFlags, Session } from '../canaries/session.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { ValidateArgs } from './validate.ts';

interface ValidateFlags extends ClusterFlags {
  filename?: string[];
  strict?: boolean;
  live?: boolean;
  meshProvider?: string;
  selectorLabels: string;
  requireSecretLabel?: boolean;
  allowedLocalAddresses: string;
  messageTemplatesFile?: string;
}

const SEVERITY = `
An error is a manifest that cannot work: the release could not run or end, or Flagger or the API server refuses the object. A warning
is for a manifest that works, but not as it looks. All files of a run are checked together; --live reads objects that they lack from the cluster,
and writes nothing. With only warnings the exit code is 0.`;

/** `serin validate`. */
export function addValidateCommand(program: Command): void {
  const examples = ['serin validate canary.yaml', 'serin validate --filename canary.yaml --strict'];
  noted(withCluster(program.command('validate')), { examples, exits: ['no'] })
    .description('check Canary, MetricTemplate, AlertProvider and TrafficSplit manifests, all files together')
    .addArgument(nameOf('files', '[file...]', 'files, folders, or - for standard input'))
    .option('-f, --filename <file...>', 'the same as FILE, as in kubectl')
    .option('--strict', 'report unknown fields as errors: kubectl apply rejects them by default, other clients drop them')
    .option('--live', 'also read the objects that the manifests refer to from the cluster')
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller')
    .option('--selector-labels <list>', 'the same as the flag of the controller', 'app,name,app.kubernetes.io/name')
    .option('--require-secret-label', 'the same as the flag of the controller')
    .option('--allowed-local-addresses <list>', 'the same as the flag of the controller', '')
    .option('--message-templates-file <file>', 'also check texts of alerts: the same as the flag of the controller')
    .addHelpText('after', SEVERITY)
    .action(async (words: string[], flags: ValidateFlags, command: Command) => {
      const files = [...words, ...(flags.filename ?? [])];
      if (files.length === 0 && flags.messageTemplatesFile === undefined)
        command.error("error: name a file, a folder, or - for standard input, as in 'serin validate canary.yaml'");
      const read = flags.meshProvider === undefined ? {} : await readProvider(flags.meshProvider);
      if ('unknown' in read) command.error(`error: --mesh-provider: ${read.unknown}`);
      else process.exitCode = flags.live ? await validateLive(files, flags, read.known) : await validate(files, flags, read.known);
    });
}

async function validateLive(files: string[], flags: ValidateFlags, provider: Provider | undefined): Promise<number> {
  const [{ onCluster }, { readCluster }] = await Promise.all([import('../canaries/session.ts'), import('./live.ts')]);
  return onCluster(flags, async ({ cluster, namespace, output }: Session): Promise<ExitName> => {
    const code = await validate(files, flags, provider, {
      namespace,
      async readCluster(items) {
        const read = await readCluster(cluster, items, { withArrival: true });
        for (const kind of read.hidden)
          output.note(`Note: ${kind}s cannot be read with these credentials: whether they exist is not checked.`);
        return read;
      },
    });
    return code === 0 ? 'done' : 'no';
  });
}

async function validate(
  files: string[],
  flags: ValidateFlags,
  provider: Provider | undefined,
  live: Pick<ValidateArgs, 'namespace' | 'readCluster'> = {},
): Promise<number> {
  const { validateCommand } = await import('./validate.ts');
  const args: ValidateArgs = {
    files,
    ...(files.includes('-') ? { stdin: await (await import('./sources.ts')).readStdin() } : {}),
    namespace: flags.namespace,
    provider,
    selectorLabels: flags.selectorLabels.split(',').filter(Boolean),
    strict: flags.strict,
    requireSecretLabel: flags.requireSecretLabel,
    allowedLocalAddresses: flags.allowedLocalAddresses.split(',').flatMap((one) => one.trim() || []),
    messageTemplatesFile: flags.messageTemplatesFile,
    ...live,
  };
  return validateCommand(
    args,
    (line) => void process.stdout.write(`${line}\n`),
    (line) => void process.stderr.write(`${line}\n`),
  );
}

/** The flag of the controller takes more than `spec.provider` does. */
export async function readProvider(text: string): Promise<{ unknown: string } | { known?: Provider }> {
  const { meshProviderOf, providerOf, unknownProvider } = await import('../../api/mesh-provider.ts');
  const mesh = meshProviderOf(text);
  return mesh === undefined ? { unknown: unknownProvider(text) } : { known: providerOf(mesh) };
}
