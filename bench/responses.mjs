// The cost of responses over HTTP, each compared with its yardstick.
import { measureOnNodes } from './on-nodes.mjs';
import { withDataSets } from './responses/stage.mjs';
import { withServer } from './server.mjs';

/** @param {{ quick: boolean, folder: string }} options also those of `measureOnNodes` */
export async function measureResponses({ quick, folder, ...options }) {
  await withServer((server) =>
    withDataSets(server, quick ? 'Q' : 'L', folder, (dataSets) =>
      measureOnNodes(server, 'responses', { quick, ...options }, { ...dataSets, quick }),
    ),
  );
}
