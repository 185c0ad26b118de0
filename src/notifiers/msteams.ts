import { fitted, type TextLimits } from './fitted.ts';
import { inertText } from './inert-text.ts';
import { linksOf } from './links.ts';
import { type AlertFormat, type AlertMessage, type ReceiverSettings, workloadName } from './notifier.ts';
import { hexColor, toneOf } from './tone.ts';

/** Microsoft Teams: a MessageCard for its connectors, an Adaptive Card for Workflows. */
export const msteams: AlertFormat = {
  body: (message, settings) => (wantsAdaptiveCard(settings) ? adaptiveCard(message) : messageCard(message)),
};

/** Hosts of Workflows, which show only Adaptive Cards. Source: Microsoft, "Create incoming webhooks with Workflows". */
const WORKFLOW_HOSTS = ['.logic.azure.com', '.logic.azure.us', '.powerplatform.com', '.powerautomate.com', '.flow.microsoft.com'];

function wantsAdaptiveCard({ format, address }: ReceiverSettings): boolean {
  if (format !== undefined) return format === 'adaptiveCard';
  const host = URL.parse(address)?.hostname ?? '';
  return WORKFLOW_HOSTS.some((ending) => host.endsWith(ending));
}

/** Both kinds of card are limited to 28 KB. Source: Microsoft, "Size limits" of webhooks in Teams. */
const limits: TextLimits = { text: 4000, fields: 40, name: 256, value: 1024, total: 20_000, totalIn: 'bytes' };

function messageCard(message: AlertMessage): object {
  const workload = workloadName(message);
  const { text, fields } = fitted(message, limits, inertText);
  const links = linksOf(message);
  return {
    '@type': 'MessageCard',
    '@context': 'http://schema.org/extensions',
    themeColor: hexColor[toneOf(message)].slice(1),
    summary: workload,
    sections: [{ activityTitle: text, activitySubtitle: workload, facts: fields }],
    ...(links.length === 0
      ? {}
      : {
          potentialAction: links.map(({ button, url }) => ({ '@type': 'OpenUri', name: button, targets: [{ os: 'default', uri: url }] })),
        }),
  };
}

const colors = { news: 'Accent', success: 'Good', warning: 'Warning', failed: 'Attention' } as const;

/** Source: Microsoft, "Create and send messages with Incoming Webhook", Adaptive Cards; version 1.4 is what Teams shows everywhere. */
function adaptiveCard(message: AlertMessage): object {
  const { text, fields } = fitted(message, limits, inertText);
  const facts = fields.map(({ name, value }) => ({ title: name, value }));
  const links = linksOf(message);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text, weight: 'Bolder', color: colors[toneOf(message)], wrap: true },
      { type: 'TextBlock', text: workloadName(message), isSubtle: true, spacing: 'None', wrap: true },
      ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
    ],
    ...(links.length === 0 ? {} : { actions: links.map(({ button, url }) => ({ type: 'Action.OpenUrl', title: button, url })) }),
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] };
}
