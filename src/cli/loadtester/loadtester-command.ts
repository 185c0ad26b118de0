import pino from 'pino';
import * as z from 'zod';
import { parseDuration } from '../../api/duration.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { systemClock } from '../../base/clock.ts';
import { numbered } from '../../base/printable.ts';
import { version } from '../../base/version.ts';
import { areRequired } from '../../loadtester/credentials.ts';
import { type LoadTester, type LoadTesterOptions, startLoadTester } from '../../loadtester/loadtester.ts';
import { ignoredFlagsIn } from '../ignored-flags.ts';
import { type OwnCredentials, ownCredentials } from './own-credentials.ts';

/** Timers end there. */
const LONGEST_MS = 480 * 3_600_000;

const Duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (!ms || ms > LONGEST_MS) context.addIssue({ code: 'custom', message: `${text} must be a duration up to 480h, like 30s or 1h` });
  return ms ?? 0;
});
const Count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, like 50')
  .transform(Number);
const Bytes = z.string().transform((text, context) => {
  const bytes = parseQuantity(text);
  if (bytes === undefined || bytes < 1) context.addIssue({ code: 'custom', message: `${text} must be a quantity, like 512Mi` });
  return bytes ?? 0;
});
const Pattern = z.string().superRefine((text, context) => {
  try {
    new RegExp(`^(?:${text})$`);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `${text} is not a regular expression: ${(error as Error).message}` });
  }
});

const Flags = z
  .object({
    port: Count.pipe(z.number().max(65_535, 'must be a port from 0 to 65535')),
    host: z.string(),
    timeout: Duration,
    namespaceRegexp: Pattern,
    allowCommands: z.array(Pattern).default([]),
    allowUnauthenticatedCommands: z.boolean(),
    tokenFile: z.string().optional(),
    signingKeyFile: z.string().optional(),
    credentialsDir: z.string().optional(),
    stateFile: z.string().optional(),
    maxTasks: Count,
    maxTasksPerCanary: Count,
    maxProcesses: Count,
    maxMemory: Bytes,
    maxOutput: Bytes,
    grace: Duration,
    allowLocalAddresses: z.boolean(),
    logLevel: z.string(),
  })
  .readonly();
type Flags = z.infer<typeof Flags>;

/** Runs the load tester until SIGTERM or SIGINT; the exit code is 0 after a clean stop, and 1 when it cannot start or gets a second stop signal. */
export async function loadTesterCommand(options: unknown, env: NodeJS.ProcessEnv): Promise<number> {
  const flags = Flags.safeParse(options);
  if (!flags.success) {
    for (const { path, message } of flags.error.issues) complain(`${flagName(String(path[0] ?? ''))}: ${message}`);
    return 1;
  }
  let own: OwnCredentials;
  try {
    own = ownCredentials(env, { runsCommands: flags.data.allowCommands.length > 0 });
  } catch (error) {
    complain(
      `--allow-commands: credentials in SERIN_LOADTESTER_… cannot be hidden from commands (${(error as Error).message}): give them as files (--token-file, --signing-key-file)`,
    );
    return 1;
  }
  const settings = settingsOf(flags.data, env, own);
  const { credentials, commandNamespaces } = settings;
  if (commandNamespaces.length > 0 && !areRequired(credentials) && !flags.data.allowUnauthenticatedCommands) {
    complain(
      '--allow-commands: every client that reaches the port could run commands: name credentials (--token-file, --signing-key-file, --credentials-dir), or say that you want this with --allow-unauthenticated-commands',
    );
    return 1;
  }
  const log = pino(
    {
      level: flags.data.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: numbered },
    },
    pino.destination({ fd: 2, sync: true }),
  );
  const tester = await startLoadTester({ ...settings, log }).catch((error: NodeJS.ErrnoException) => {
    complain(error.code === 'EADDRINUSE' ? `--port ${settings.port}: another program listens there` : `cannot start: ${error.message}`);
    return undefined;
  });
  if (tester === undefined) return 1;
  // Before the log says that it started: a reader of that line can send a signal at once.
  const stopped = untilStopped(tester, flags.data.grace, log);
  log.info(
    { version, port: tester.port, commands: commandNamespaces, authenticated: areRequired(credentials) },
    'serin loadtester started',
  );
  for (const { flag, reason } of ignoredFlagsIn(options as Record<string, unknown>)) log.warn({ flag, reason }, 'flag is ignored');
  if (!areRequired(credentials))
    log.warn({}, 'every client that reaches the port may start tests and open gates: name credentials to change that');
  if (settings.stateFile === undefined) log.warn({}, 'gates are closed after a restart: name a file with --state-file to keep them');
  return stopped;
}

function settingsOf(flags: Flags, env: NodeJS.ProcessEnv, own: OwnCredentials): Omit<LoadTesterOptions, 'log'> {
  return {
    version,
    clock: systemClock,
    port: flags.port,
    host: flags.host || undefined,
    credentials: {
      token: own.token,
      signingKey: own.signingKey,
      tokenFile: flags.tokenFile,
      signingKeyFile: flags.signingKeyFile,
      folder: flags.credentialsDir,
    },
    namespaces: flags.namespaceRegexp === '' ? [] : [flags.namespaceRegexp],
    commandNamespaces: flags.allowCommands,
    stateFile: flags.stateFile,
    timeoutMs: flags.timeout,
    tasks: flags.maxTasks,
    tasksOfCanary: flags.maxTasksPerCanary,
    processes: { processes: flags.maxProcesses, memoryBytes: flags.maxMemory, outputBytes: flags.maxOutput },
    allowLocalAddresses: flags.allowLocalAddresses,
    env,
  };
}

/** A second signal does not wait. */
async function untilStopped(tester: LoadTester, graceMs: number, log: pino.Logger): Promise<number> {
  const signal = () =>
    new Promise<string>((resolve) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
    });
  log.info({ signal: await signal() }, 'stopping');
  const again = signal().then((name) => {
    log.warn({ signal: name }, 'stopping without waiting');
    return process.exit(1);
  });
  return Promise.race([tester.stop(graceMs).then(() => 0), again]);
}

const complain = (text: string): void => void process.stderr.write(`${text}\n`);
const flagName = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
