import type { Canary } from '../../api/canary.ts';
import type { AlertDetails, Delivery } from '../../api/canary-status.ts';
import type { AlertMessage } from '../../notifiers/notifier.ts';
import type { ControllerConfig } from '../config.ts';
import { canaryPage, releasePage } from './canary-page.ts';

type AlertSettings = Pick<ControllerConfig, 'clusterName' | 'dashboardUrl' | 'journalLimit'>;

/** A listed alert as its receivers are to show it: with the cluster, the pages of the dashboard, and how a gate is opened. */
export function alertMessage(
  canary: Pick<Canary, 'metadata'>,
  delivery: Delivery,
  { clusterName, dashboardUrl, journalLimit }: AlertSettings,
): AlertMessage {
  const { alert, outcome } = delivery;
  const { namespace = '', name, uid } = canary.metadata;
  const isFailed = outcome === 'Failed';
  const details = alert?.details;
  const page = canaryPage(dashboardUrl, { namespace, name });
  const approve = details?.gate && approval({ namespace, name }, details.gate, page);
  return {
    key: delivery.key,
    canary: { namespace, name },
    severity: alert?.severity ?? (isFailed ? 'error' : 'info'),
    reason: alert?.reason ?? (isFailed ? 'Failed' : 'Succeeded'),
    text: delivery.message,
    fields: [
      // The cluster comes before all others.
      ...(clusterName === '' ? [] : [{ name: 'Cluster', value: clusterName }]),
      ...(alert?.fields ?? []),
      ...(approve === undefined ? [] : [{ name: 'Approve', value: approve }]),
    ],
    details,
    page,
    // It has a page of its own once its journal is kept.
    releasePage:
      page !== undefined && outcome !== undefined && details && journalLimit > 0 ? releasePage(page, details.release) : undefined,
    approve,
    ...(details?.commit === undefined ? {} : { commit: details.commit }),
    ...(clusterName === '' ? {} : { cluster: clusterName }),
    thread: details && `serin/${uid}/${details.release}`,
    atMs: delivery.sinceMs,
  };
}

/** Command that opens a closed gate. The verb promote approves a start or a promotion: at a weight it would end the analysis. */
function approval(
  { namespace, name }: { namespace: string; name: string },
  gate: NonNullable<AlertDetails['gate']>,
  page: string | undefined,
): string {
  if (gate.type === 'confirm-traffic-increase')
    return `open the gate ${gate.webhook}, where its owner keeps it; serin why ${name} --namespace ${namespace} shows what it answered`;
  const command = `serin promote ${name} --namespace ${namespace}`;
  return page === undefined ? command : `on the page, or with ${command}`;
}
