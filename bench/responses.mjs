// The cost of responses over HTTP, each compared with its yardstick.
import { measureOnNodes } from './on-nodes.mjs';
import { withDataSets } from './responses/stage.mjs';
import { withServer } from './server.mjs';

/** @param {{ quick: boolean, write: boolean, nodes: string[], folder: string }} options */
export async function measureResponses({ quick, write, nodes, folder }) {
  await withServer((server) =>
    withDataSets(server, quick ? 'Q' : 'L', folder, (dataSets) =>
      measureOnNodes(server, 'responses', { nodes, quick, write }, () => ({ ...dataSets, quick })),
    ),
  );
}
