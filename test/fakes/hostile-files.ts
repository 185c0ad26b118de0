import { MOST } from '../../src/cli/validate/limits.ts';

export const lined = (count: number, line: (n: number) => string): string => Array.from({ length: count }, (_, n) => line(n)).join('\n');

/** Has one finding of its own, which shows whether other findings are hidden. */
export const honestCanary =
  'apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: { name: shop }\nspec: { targetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, service: { port: 80 }, analysis: { interval: 1m, threshold: 5, stepWeight: 10 } }\n';

/** Texts that a stranger can put into a pull request. `finding` is the reader's message if such a text is a document after `honestCanary`. */
export const hostileTexts: readonly (readonly [what: string, text: string, finding: string])[] = [
  ['an alias within its own anchor', 'a: &a\n  b:\n    - *a\n', 'f.yaml:8 document: error: has an alias within its own anchor'],
  ['two anchors that lead to each other', 'a: &a { b: &b [*a, *b] }\n', 'f.yaml:6 document: error: has an alias within its own anchor'],
  ['a map that is its own key', 'a: &a\n  ? *a\n  : b\n', 'f.yaml:7 document: error: has an alias within its own anchor'],
  ['an alias for a Canary of itself', `&a\n${honestCanary}more: *a\n`, 'f.yaml:11 document: error: has an alias within its own anchor'],
  [
    'aliases that unfold without end',
    `n0: &n0 [x,x,x,x,x,x,x,x,x]\n${lined(8, (n) => `n${n + 1}: &n${n + 1} [${Array(9).fill(`*n${n}`)}]`)}`,
    'f.yaml:12 document: error: unfolds its aliases without end: write it without them',
  ],
  ['a chain of aliases', `n0: &n0 x\n${lined(5000, (n) => `n${n + 1}: &n${n + 1} [*n${n}]`)}`, 'is nested too deeply: write it flatter'],
  ['maps within maps', lined(5000, (n) => `${' '.repeat(n)}a:`), 'it is nested too deeply: write it flatter'],
  ['maps a level deeper than the limit', lined(MOST.depth + 1, (n) => `${' '.repeat(n)}a:`), 'it is nested too deeply: write it flatter'],
  ['a key that is there twice', 'a: 1\nb: 2\na: 3\n', 'f.yaml:8 document: error: is not YAML: Map keys must be unique'],
  [
    'more anchors than the limit',
    lined(MOST.anchors + 1, (n) => `k${n}: &a${n} x`),
    `f.yaml:${MOST.anchors + 6} document: error: has more than 10000 anchors; the rest of the file is not read: write the values`,
  ],
  [
    'more aliases than the limit',
    `a: &a x\n${lined(MOST.anchors + 1, (n) => `k${n}: *a`)}`,
    `f.yaml:${MOST.anchors + 7} document: error: has more than 10000 aliases`,
  ],
  [
    'more documents than the limit',
    lined(MOST.documents, () => 'a: b\n---'),
    `f.yaml:${MOST.documents * 2 + 3} document: error: has more than 10000 documents; the rest of the file is not read: split the file`,
  ],
  [
    'more objects in a list than the limit',
    `kind: List\nitems:\n${lined(MOST.documents, () => '- { a: b }')}`,
    `f.yaml:${MOST.documents + 7} document: error: this run has more than 10000 objects; the rest is not read: check fewer at a time`,
  ],
  ['a megabyte of quotes', '"'.repeat(1_000_000), 'f.yaml:6 document: error: is not YAML: '],
  ['more words than the limit', 'x,'.repeat(MOST.words), 'f.yaml:6 document: error: has more than 2000000 keys, values and marks'],
];

/** The document after an honest one. */
export const besideHonest = (text: string): string => `${honestCanary}---\n${text.startsWith('x,') ? `[${text}]` : text}`;

/** A Canary with its target, autoscaler and template, each a document. */
export const releasedByFiles = (n: number, namespace = `prod-${n}`): string => `---
apiVersion: flagger.app/v1beta1
kind: Canary
metadata: { name: shop-${n}, namespace: ${namespace} }
spec:
  provider: istio
  targetRef: { apiVersion: apps/v1, kind: Deployment, name: shop-${n} }
  autoscalerRef: { apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: shop-${n} }
  service: { port: 80 }
  analysis: { interval: 1m, threshold: 5, stepWeight: 10, metrics: [{ name: x, templateRef: { name: x-${n} }, thresholdRange: { max: 1 } }] }
---
apiVersion: flagger.app/v1beta1
kind: MetricTemplate
metadata: { name: x-${n}, namespace: ${namespace} }
spec: { provider: { type: prometheus, address: 'http://p.test' }, query: up }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop-${n}, namespace: ${namespace} }
spec: { selector: { matchLabels: { app: shop-${n} } }, template: { metadata: { labels: { app: shop-${n} } }, spec: { containers: [{ name: x }] } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop-${n}, namespace: ${namespace} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop-${n} }, maxReplicas: 3 }
`;
