import type { Command } from 'commander';
import { noted } from '../people/flags.ts';

/** `serin validate`. */
export function addValidateCommand(program: Command): void {
  noted(program.command('validate'), { examples: ['serin validate --filename canary.yaml'], exits: ['no'] })
    .description('check Canary, MetricTemplate, AlertProvider and TrafficSplit manifests')
    .requiredOption('-f, --filename <file...>', 'files, folders, or - for standard input')
    .action(async ({ filename }: { filename: string[] }) => {
      const [
        { validateCommand },
        { checkTemplate },
        { templateProblems: checkMetricTemplate },
        { receiverProblems: checkAlertProvider },
        { checkRoutes },
        { readFileSync },
      ] = await Promise.all([
        import('./validate.ts'),
        import('../../metrics/query-template.ts'),
        import('../../metrics/template-problems.ts'),
        import('../../notifiers/receiver-problems.ts'),
        import('./check-routes.ts'),
        import('node:fs'),
      ]);
      const stdin = filename.includes('-') ? { stdin: readFileSync(0, 'utf8') } : {};
      const toStdout = (line: string) => process.stdout.write(`${line}\n`);
      const checks = { checkTemplate, checkMetricTemplate, checkAlertProvider, checkRoutes };
      process.exitCode = await validateCommand({ files: filename, ...checks, ...stdin }, toStdout, (line) =>
        process.stderr.write(`${line}\n`),
      );
    });
}
