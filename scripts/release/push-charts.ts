import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from './run.ts';
import { besideFiles, type ReleaseSettings } from './settings.ts';

/** Pushes the packed charts as artefacts of OCI. */
export function pushCharts(settings: ReleaseSettings): void {
  const { folder, chartRepository, isPlainHttp } = settings;
  const charts = readdirSync(folder).filter((file) => /-chart-.*\.tgz$/.test(file));
  if (charts.length === 0) throw new Error(`${folder} holds no chart: make the files of the release first`);
  const pushed = charts.toSorted().map((chart) => {
    const said = output('helm', [...['push', join(folder, chart), `oci://${chartRepository}`], ...(isPlainHttp ? ['--plain-http'] : [])]);
    const reference = /^Pushed: (.*):[^:/]*$/m.exec(said)?.[1];
    const digest = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(said)?.[1];
    if (!reference || !digest) throw new Error(`helm did not say where ${chart} went`);
    process.stdout.write(`pushed ${reference}@${digest}\n`);
    return `${reference}@${digest}`;
  });
  writeFileSync(besideFiles(settings, 'charts.json'), JSON.stringify(pushed));
}
