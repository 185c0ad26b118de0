import { preciseTimestamp } from '../base/timestamp.ts';
import { fitted } from './fitted.ts';
import { type AlertFormat, withPath } from './notifier.ts';
import { asItIs, plainLimits } from './plain.ts';

/**
 * Alertmanager's v2 API. It identifies an alert by its labels, so fields that differ between two alerts of one kind are annotations. It resolves alerts by its
 * own `resolve_timeout`. Source: prometheus/alertmanager, api/v2/openapi.yaml.
 */
export const alertmanager: AlertFormat = {
  takesToken: true,
  body(message) {
    const { canary, severity, reason, page, releasePage = page, atMs } = message;
    const { text, fields } = fitted(message, plainLimits, asItIs);
    return [
      {
        labels: { alertname: `Canary${reason}`, namespace: canary.namespace, canary: canary.name, severity },
        annotations: { summary: text, description: fields.map(({ name, value }) => `${name}: ${value}`).join('\n') },
        startsAt: preciseTimestamp(atMs),
        ...(releasePage === undefined ? {} : { generatorURL: releasePage }),
      },
    ];
  },
  url: (address) => withPath(address, '/api/v2/alerts'),
};
