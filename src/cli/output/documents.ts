import * as z from 'zod';
import { ImageChange } from '../../api/container-image.ts';
import {
  CanaryReport,
  CanarySummary,
  Difference,
  History,
  KeptItem,
  RequestResult,
  TrafficReport,
  Why,
} from '../../reading/documents/canary-documents.ts';
import { JournalList } from '../../reading/documents/journal-list.ts';
import { documentOf, documentOn, Time } from '../../reading/documents/output-version.ts';
import { Preflight, PreflightList } from '../preflight/preflight-document.ts';
import { RehearsalReport } from '../rehearse/rehearsal-report.ts';
import { Backtest, JournalDocument, ReplayResult, Supposition } from './journal-documents.ts';

/** Output of `serin list`. */
export const CanaryList = documentOf('CanaryList', {
  items: z.array(CanarySummary),
  kept: z
    .array(KeptItem)
    .optional()
    .describe('Primaries that keep serving though their Canary was deleted; absent without any, or without the right to read them.'),
});
export type CanaryList = z.infer<typeof CanaryList>;

/** Output of `serin wait`. */
export const WaitResult = documentOn('WaitResult', {
  outcome: z.enum(['reached', 'failed', 'timedOut', 'notFound']),
  phase: z.string(),
  revision: z.string().optional(),
  seconds: z.number(),
  message: z.string().optional(),
});
export type WaitResult = z.infer<typeof WaitResult>;

/** Output of `serin version`. */
export const VersionReport = documentOf('VersionReport', {
  client: z.string(),
  node: z.string(),
  server: z.string().optional().describe('Of the Kubernetes API server; absent if it was not requested or did not answer.'),
  output: z.string(),
});
export type VersionReport = z.infer<typeof VersionReport>;

/** The outcome of `serin accept`. */
export const AcceptResult = documentOn('AcceptResult', {
  target: z.string().describe('Kind and name of the target.'),
  revision: z.string().describe('The revision of the target that is accepted.'),
  outcome: z.enum(['requested', 'done', 'refused', 'timedOut']).describe('done: the application is handed over.'),
  message: z.string().optional(),
});
export type AcceptResult = z.infer<typeof AcceptResult>;

/** Output of `serin notify`. */
export const NotifyResult = documentOn('NotifyResult', {
  reason: z.string().describe('Kind of the alert.'),
  receivers: z.array(
    z.object({
      provider: z
        .string()
        .describe(
          'AlertProvider as NAMESPACE/NAME; without alerts in the spec, the flag of the controller that names the global receiver.',
        ),
      type: z.string().optional().describe('Kind of its service; absent if the provider cannot be read.'),
      outcome: z
        .enum(['shown', 'sent', 'failed', 'filtered'])
        .describe('shown: a dry run; filtered: the severity of the alert is below that of the Canary.'),
      message: z.string().optional().describe('Reason why it failed or was filtered, or what is not known in a dry run.'),
      payload: z.unknown().optional().describe('The body that it gets, without addresses and tokens.'),
    }),
  ),
});
export type NotifyResult = z.infer<typeof NotifyResult>;

/** Output of `serin report`, and contents.json in its archive. */
export const ReportContents = documentOf('ReportContents', {
  created: Time,
  client: z.string().describe('Version of the program that made the report.'),
  file: z.string().optional().describe('Where the archive was written to; not in the archive itself.'),
  canaries: z.array(z.object({ namespace: z.string(), name: z.string() })),
  files: z.array(
    z.object({
      path: z.string().describe('Below the folder serin-report.'),
      bytes: z.number(),
      says: z.string(),
      cut: z.boolean().optional().describe('The end is missing: the file would be too large.'),
    }),
  ),
  notRead: z.array(z.object({ what: z.string(), why: z.string() })).describe('Objects that belong in the report and could not be read.'),
  leftOut: z.array(z.string()).describe('Data that is never in a report, with any permissions.'),
  valuesHidden: z.number().describe('Number of values of objects that were replaced by ***.'),
});
export type ReportContents = z.infer<typeof ReportContents>;

/** Output of `serin report --revert`. */
export const RevertRequest = documentOn('RevertRequest', {
  release: z.number().describe('Number of the release that has failed.'),
  commit: z.string().optional().describe('Hash of its commit, if the target named it.'),
  images: z.array(ImageChange).describe('Images that it changed.'),
  reason: z.string().describe('Code of its end, from a closed list (docs/reasons.md).'),
  title: z.string().describe('Title of the request.'),
  body: z.string().describe('Text of the request, in Markdown.'),
});
export type RevertRequest = z.infer<typeof RevertRequest>;

/** All documents of the output version. */
export const Documents = z.discriminatedUnion('kind', [
  CanaryList,
  CanaryReport,
  Why,
  WaitResult,
  History,
  JournalList,
  JournalDocument,
  ReplayResult,
  Supposition,
  Backtest,
  Difference,
  VersionReport,
  RequestResult,
  AcceptResult,
  NotifyResult,
  TrafficReport,
  ReportContents,
  RevertRequest,
  RehearsalReport,
  Preflight,
  PreflightList,
]);
export type Documents = z.infer<typeof Documents>;
