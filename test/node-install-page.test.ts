import { expect, it } from 'vitest';
import { documented } from './node/install-page.ts';

const found = { charts: 'registry.example.com/serin/charts', version: '7.8.9' };

it('docs/install.md has each command that released.test.ts runs, and names chart and version of the example only where they are replaced', () => {
  const scripts = [
    documented.install(found),
    documented.release(),
    documented.test(),
    documented.upgrade(found),
    documented.goBack(),
    documented.deleteCanaries('quick-start'),
    documented.handedOver('quick-start'),
    documented.uninstall(),
    documented.deleteDefinitions(),
  ];
  const programs = scripts.map((script) =>
    script
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  );
  expect(programs).toEqual([
    ['helm install', 'tar -xzf', 'tar -xzf', 'kubectl apply', './serin wait'],
    ['./serin wait', 'kubectl set', './serin wait', './serin status'],
    ['helm test'],
    ['helm upgrade'],
    ['helm rollback'],
    ['kubectl delete'],
    ['kubectl -n'],
    ['helm uninstall'],
    ['kubectl delete'],
  ]);
  expect(scripts.join('\n')).not.toMatch(/OWNER|1\.2\.3|npx| -n test\b/);
  expect(documented.upgrade(found)).toContain(
    'helm upgrade serin oci://registry.example.com/serin/charts/serin --version 7.8.9 --plain-http ',
  );
});
