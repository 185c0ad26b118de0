import type { SyntaxNode } from '@lezer/common';
import { resolvers } from '../embedded/mesh/resolvers.ts';
import { syntaxTree } from '../embedded/prometheus/promql/syntax-tree.ts';

const APP = ['kubernetes_namespace', 'kubernetes_pod_name', 'method', 'path', 'status'];

/** Series that the model produces, with their labels. */
const SERIES: Readonly<Record<string, readonly string[]>> = {
  up: [],
  http_requests_total: APP,
  http_request_duration_seconds: APP,
  ...Object.assign({}, ...resolvers.map(({ series }) => series)),
};
const EVERYWHERE = new Set(['job', 'instance', 'le', '__name__']);
/** Values in place of Serin's variables in a query: a duration where the syntax requires one. */
const SAMPLE = { value: 'sample', duration: '1m' };

/**
 * Series in a query that the model does not produce, in words: `container_cpu_usage_seconds_total`, or `label route of http_requests_total`. The result is
 * empty for a query that cannot be parsed: its error shows in the release.
 */
export function unmodelledSeries(template: string): string[] {
  const query = template.replace(/\[\s*\{\{[^}]*\}\}\s*\]/g, `[${SAMPLE.duration}]`).replace(/\{\{[^}]*\}\}/g, SAMPLE.value);
  const tree = syntaxTree(query);
  if ('mistakeAt' in tree) return [];
  const of = (node: SyntaxNode | null): string => (node === null ? '' : query.slice(node.from, node.to));
  const missing = new Set<string>();
  tree.iterate({
    enter({ node }) {
      if (node.name !== 'VectorSelector') return;
      const name = of(node.getChild('Identifier'));
      const labels = SERIES[name] ?? SERIES[name.replace(/_(bucket|sum|count)$/, '')];
      if (labels === undefined) missing.add(name === '' ? `the series of ${of(node)}` : name);
      else
        for (const label of labelsIn(node, of))
          if (!labels.includes(label) && !EVERYWHERE.has(label)) missing.add(`label ${label} of ${name}`);
    },
  });
  return [...missing];
}

function labelsIn(selector: SyntaxNode, of: (node: SyntaxNode | null) => string): string[] {
  const found: string[] = [];
  selector.cursor().iterate(({ node }) => {
    if (node.name === 'UnquotedLabelMatcher') found.push(of(node.getChild('LabelName')));
  });
  return found;
}
