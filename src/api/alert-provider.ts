import * as z from 'zod';
import { apiVersion } from './canary.ts';
import { Address, SecretRef, ShortText } from './limits.ts';

/** Services that alerts can go to. */
export const alertProviders = ['slack', 'msteams', 'discord', 'rocket', 'gchat', 'webhook', 'alertmanager', 'github', 'gitlab'] as const;
/** spec.type of an AlertProvider. */
export const AlertProviderType = z.enum(alertProviders);
export type AlertProviderType = z.infer<typeof AlertProviderType>;

/** The spec as stored; `parseAlertProvider` checks it. */
export const AlertProviderSpec = z.object({
  type: AlertProviderType.describe(
    'Kind of the service. `webhook` gets plain JSON, `alertmanager` alerts of its v2 API, `github` and `gitlab` commit statuses.',
  ),
  channel: ShortText.optional().describe('Channel to write to; `general` when absent.'),
  username: ShortText.optional().describe('Name to write under; `flagger` when absent.'),
  address: Address.optional().describe('Address of the incoming webhook; for github and gitlab that of the repository.'),
  proxy: Address.optional().describe('HTTP proxy to go through.'),
  secretRef: SecretRef.optional().describe(
    'Secret in the same namespace. Its key `address` wins over the field, `token` is for slack, webhook, alertmanager, github and gitlab, `signingKey` signs what webhook gets.',
  ),
  /** Ours: Microsoft retires the connectors that take Flagger's form. */
  format: z
    .enum(['messageCard', 'adaptiveCard'])
    .optional()
    .describe(
      'msteams: form of the message, `adaptiveCard` for Workflows, `messageCard` for connectors; by the host of the address when absent.',
    ),
});
export type AlertProviderSpec = z.infer<typeof AlertProviderSpec>;

/** Where alerts of Canaries go. */
export const AlertProvider = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('AlertProvider'),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
  spec: AlertProviderSpec,
});
export type AlertProvider = z.infer<typeof AlertProvider>;
