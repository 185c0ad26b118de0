import { parseArgs } from 'node:util';
import { listed } from './figures.ts';
import { measureSize, measureSteps, type SizeResult } from './measure-size.ts';
import type { StartResult } from './measure-start.ts';

const USAGE = `npm run bench -- [--sizes 10,200,1000] [--seconds 30] [--json]
npm run bench -- --start [--sizes 200,1000] [--deployments 5000] [--secrets 20000] [--changes 50] [--suspended] [--json]
npm run bench -- --real --at-once [--sizes 300,1000] [--releases 100] [--steps 5] [--over 60] [--flagger] [--argo] [--fault slow|throttled|tenth|down|lagging] [--json]
npm run bench -- --real --steady [--canaries 1000] [--minutes 120] [--every 4] [--json]
npm run bench -- --embedded [--sizes 10000] [--releases 100] [--over 60] [--fault …] [--json]
npm run bench -- --real [--kinds deployments|mixed] [--canaries 200] [--minutes 15] [--json]
npm run bench -- --hanging [--canaries 200] [--interval 10] [--json]
npm run bench -- --hostile [--canaries 20] [--interval 10] [--namespaces 200] [--with-pods 20] [--writers 32] [--minutes 10] [--blind] [--json]
npm run bench -- users [--help]
`;

/** Counts and ratios of one run on this machine. Nothing is asserted: what a time means depends on who else is busy. */
async function bench(): Promise<void> {
  const [word, ...args] = process.argv.slice(2);
  if (word === 'users') return (await import('./users/users-command.ts')).users(args);
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string' },
      seconds: { type: 'string', default: '30' },
      start: { type: 'boolean', default: false },
      deployments: { type: 'string', default: '5000' },
      secrets: { type: 'string', default: '20000' },
      suspended: { type: 'boolean', default: false },
      changes: { type: 'string', default: '50' },
      real: { type: 'boolean', default: false },
      embedded: { type: 'boolean', default: false },
      'at-once': { type: 'boolean', default: false },
      releases: { type: 'string', default: '100' },
      steps: { type: 'string' },
      over: { type: 'string' },
      steady: { type: 'boolean', default: false },
      every: { type: 'string' },
      flagger: { type: 'boolean', default: false },
      argo: { type: 'boolean', default: false },
      fault: { type: 'string' },
      kinds: { type: 'string', default: 'deployments' },
      canaries: { type: 'string' },
      minutes: { type: 'string' },
      hanging: { type: 'boolean', default: false },
      interval: { type: 'string' },
      hostile: { type: 'boolean', default: false },
      namespaces: { type: 'string', default: '200' },
      'with-pods': { type: 'string', default: '20' },
      writers: { type: 'string', default: '32' },
      blind: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const sizesOr = (normal: string) => (values.sizes ?? normal).split(',').map(positive);
  if (values.start) {
    const { measureStart, startLines: toldStarts } = await import('./measure-start.ts');
    const [deployments, secrets, changes] = [positive(values.deployments), positive(values.secrets), positive(values.changes)];
    const { suspended } = values;
    const starts: StartResult[] = [];
    for (const canaries of sizesOr('200,1000'))
      starts.push(await measureStart({ canaries, deployments, secrets, changes, suspended, say }));
    if (values.json) return void process.stdout.write(`${JSON.stringify(starts, undefined, 2)}\n`);
    for (const line of toldStarts(starts)) say(line);
    return;
  }
  if (values.hanging) {
    const { measureHanging, slipLines: toldSlips } = await import('./measure-hanging.ts');
    const result = await measureHanging({ canaries: numberOr(values.canaries, 200), intervalSeconds: numberOr(values.interval, 10), say });
    if (values.json) return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    for (const line of toldSlips(result)) say(line);
    return;
  }
  if (values.hostile) {
    const { measureHostile, hostileReport } = await import('./measure-hostile.ts');
    const result = await measureHostile({
      releases: numberOr(values.canaries, 20),
      intervalSeconds: numberOr(values.interval, 10),
      namespaces: positive(values.namespaces),
      withPods: positive(values['with-pods']),
      writers: positive(values.writers),
      minutes: numberOr(values.minutes, 10),
      blind: values.blind,
      say,
    });
    if (values.json) return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    for (const line of hostileReport(result)) say(line);
    return;
  }
  if (values.steady) {
    if (!values.real) throw new Error(`--steady needs --real\n${USAGE}`);
    const { measureSteady } = await import('./steady/measure-steady.ts');
    const { steadyLines } = await import('./steady/steady-lines.ts');
    const result = await measureSteady({
      canaries: numberOr(values.canaries, 1_000),
      minutes: numberOr(values.minutes, 120),
      everySeconds: numberOr(values.every, 4),
      say,
    });
    if (values.json) return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    for (const line of steadyLines(result)) say(line);
    return;
  }
  if (values['at-once'] || values.embedded) {
    if (values.real === values.embedded) throw new Error(`--at-once needs --real or --embedded\n${USAGE}`);
    if ((values.flagger || values.argo) && !values.real) throw new Error(`--flagger and --argo need --real\n${USAGE}`);
    const { measureAtOnce } = await import('./at-once/measure-at-once.ts');
    const { atOnceLines } = await import('./at-once/at-once-lines.ts');
    const { FAULTS } = await import('./at-once/fault-proxy.ts');
    const { MAX_WEIGHT, STEPS } = await import('./at-once/at-once-applications.ts');
    const fault = FAULTS.find((each) => each === values.fault);
    if (values.fault !== undefined && fault === undefined) throw new Error(`--fault ${values.fault} is unknown\n${USAGE}`);
    if (fault !== undefined && values.over !== undefined) throw new Error(`--over and --fault exclude each other\n${USAGE}`);
    const steps = numberOr(values.steps, STEPS);
    if (MAX_WEIGHT % steps !== 0) throw new Error(`--steps ${steps} must divide ${MAX_WEIGHT}, the highest weight`);
    const results = await measureAtOnce({
      kind: values.real ? 'real' : 'embedded',
      sizes: sizesOr('300'),
      releases: positive(values.releases),
      steps,
      flagger: values.flagger,
      argo: values.argo,
      ...(fault === undefined ? {} : { fault }),
      ...(values.over === undefined ? {} : { overMs: positive(values.over) * 1_000 }),
      say,
    });
    if (values.json) return void process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
    for (const line of atOnceLines(results)) say(line);
    return;
  }
  if (values.real) {
    if (values.kinds !== 'deployments' && values.kinds !== 'mixed') throw new Error(`--kinds ${values.kinds} is unknown\n${USAGE}`);
    const { measureRealRest } = await import('./measure-real.ts');
    const { canaries, minutes, kinds } = values;
    const result = await measureRealRest({ canaries: numberOr(canaries, 200), minutes: numberOr(minutes, 15), kinds, say });
    if (values.json) return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    say(`\n${result.canaries} resting Canaries (${kinds}), by the API server's audit log:`);
    say(`  idle, ${result.minutes} min: ${listed(result.requests)}`);
    say(`  restart: ${listed(result.restart)}`);
    return;
  }
  say('The embedded API server; Deployments are available at once, so that only the controller is looked at (provider kubernetes).');
  const steps = await measureSteps();
  const sizes: SizeResult[] = [];
  for (const canaries of sizesOr('10,200,1000'))
    sizes.push(await measureSize(canaries, { restSeconds: positive(values.seconds), changes: [1, 100], say }));
  if (values.json) process.stdout.write(`${JSON.stringify({ sizes, steps }, undefined, 2)}\n`);
  else for (const line of inLines(sizes, steps)) say(line);
}

function inLines(sizes: readonly SizeResult[], steps: readonly Record<string, number>[]): string[] {
  const [smallest] = sizes;
  const row = (label: string, of: (size: SizeResult) => string) => `${label.padEnd(46)}${sizes.map((s) => of(s).padStart(16)).join('')}`;
  const ofMost = ({ firstAction }: SizeResult) => firstAction.at(-1);
  const total = (counts: Record<string, number>, skip: (what: string) => boolean = () => false) =>
    Object.entries(counts).reduce((sum, [what, count]) => sum + (skip(what) ? 0 : count), 0);
  const isReading = (what: string) => /^(get|list|watch) /.test(what);
  return [
    '',
    row('resting Canaries', ({ canaries }) => String(canaries)),
    row('requests while idle', ({ restRequests, restSeconds }) => `${total(restRequests)} in ${restSeconds} s`),
    row('writes of a restart over them', ({ restartRequests }) => String(total(restartRequests, isReading))),
    row('reads of a restart over them', ({ restartRequests }) => String(total(restartRequests) - total(restartRequests, isReading))),
    row('CPU of the start, s', ({ startCpuSeconds }) => startCpuSeconds.toFixed(2)),
    row('CPU while idle, s a minute', ({ restCpuSeconds, restSeconds }) => ((restCpuSeconds * 60) / restSeconds).toFixed(2)),
    row('memory while idle, MB', ({ restRssMB }) => restRssMB.toFixed(0)),
    row('memory at the most, MB', ({ peakRssMB }) => peakRssMB.toFixed(0)),
    row('  ratio to the smallest', ({ peakRssMB }) => (peakRssMB / (smallest?.peakRssMB ?? peakRssMB)).toFixed(2)),
    row('new revision to first action, 1 change, ms', ({ firstAction: [one] }) => (one ? one.medianMs.toFixed(0) : '-')),
    row('  at once', (size) => `${ofMost(size)?.changes ?? 0} changes`),
    row('  median of them, ms', (size) => ofMost(size)?.medianMs.toFixed(0) ?? '-'),
    row('  slowest of them, ms', (size) => ofMost(size)?.maxMs.toFixed(0) ?? '-'),
    '',
    ...sizes.map(({ canaries, restRequests }) => `idle, ${canaries}: ${listed(restRequests)}`),
    ...sizes.map(({ canaries, restartRequests }) => `restart, ${canaries}: ${listed(restartRequests)}`),
    ...sizes.flatMap(({ canaries, restartWrites }) => restartWrites.map((write) => `a restart over ${canaries} wrote: ${write}`)),
    ...steps.map((requests, index) => `progressing step ${index + 1} (istio): ${listed(requests)}`),
  ];
}

const numberOr = (text: string | undefined, normal: number): number => (text === undefined ? normal : positive(text));

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${text} must be a number above 0\n${USAGE}`);
  return value;
}

// Ends all started processes with this one: 'exit' is not emitted for a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await bench();
