import { type AlertProviderType, alertProviders } from '../../../src/api/alert-provider.ts';
import type { NotifierCase } from './notifier-case.ts';

/** By type: the case that the file of its name exports. */
export const notifierCases = Object.fromEntries(
  await Promise.all(alertProviders.map(async (type) => [type, (await import(/* @vite-ignore */ `./${type}.ts`))[type]])),
) as Readonly<Record<AlertProviderType, NotifierCase>>;
