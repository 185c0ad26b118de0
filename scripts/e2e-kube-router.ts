import { ensureIptables, ensurePackaged } from './e2e-binaries.ts';
import { ensureGoTool } from './e2e-go-tool.ts';

const PURPOSE = 'the tests of NetworkPolicies on a real node enforce them with kube-router';

/** Path of kube-router, of which only the part is used that enforces NetworkPolicies; with the programs that it sets its rules with. */
export async function ensureKubeRouter(say: (line: string) => void = () => undefined): Promise<string> {
  await ensureIptables(say);
  await ensurePackaged('ipset', `${PURPOSE}: put \`ipset\` on the PATH`, say);
  return ensureGoTool(
    {
      name: 'kube-router',
      module: 'github.com/cloudnativelabs/kube-router/v2',
      package: 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router',
      purpose: PURPOSE,
    },
    say,
  );
}
