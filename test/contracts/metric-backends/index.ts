import { type MetricProviderType, metricProviders } from '../../../src/api/metric-template.ts';
import type { BackendCase } from './backend-case.ts';
import { externalmetricsElsewhere } from './externalmetrics.ts';
import { keptnAnalysis } from './keptn.ts';
import { stackdriverPromql } from './stackdriver.ts';

/** By type: the case that the file of its name exports. */
export const backendCases = Object.fromEntries(
  await Promise.all(metricProviders.map(async (type) => [type, (await import(/* @vite-ignore */ `./${type}.ts`))[type]])),
) as Readonly<Record<MetricProviderType, BackendCase>>;

/** The case of each backend; then second APIs of a backend, or second kinds of credentials, with the same promises. */
export const allCases: readonly { title: string; type: MetricProviderType; known: BackendCase }[] = [
  ...metricProviders.map((type) => ({ title: type, type, known: backendCases[type] })),
  { title: 'externalmetrics at an address', type: 'externalmetrics', known: externalmetricsElsewhere },
  { title: 'keptn with an Analysis', type: 'keptn', known: keptnAnalysis },
  { title: 'stackdriver with PromQL', type: 'stackdriver', known: stackdriverPromql },
];
