// P3: the time to the first byte of /products, independent of the size of the response.
import { median } from '../report.mjs';

/** @returns {Promise<{ rows: object, aims: object[] }>} */
export async function measureFirstBytes({ m, large, client }, { rounds }) {
  const places = await Promise.all([m, large].map(placeOf));
  for (let round = -1; round < rounds; round++)
    for (const { call, firstBytes } of places) {
      const { firstByte } = await client.ask('get', { ...call, most: 0 });
      // The first round warms up.
      if (round >= 0) firstBytes.push(firstByte * 1000);
    }
  const [ofM, ofLarge] = places.map(({ firstBytes }) => median(firstBytes));
  return {
    rows: { [label('M')]: { 'first byte, ms': ofM }, [label(large.size)]: { 'first byte, ms': ofLarge } },
    aims: [
      { aim: 'P3', what: 'first byte of `/products`', figure: Math.max(ofM, ofLarge), unit: 'ms', most: 60 },
      {
        aim: 'P3',
        what: `first byte of ${large.size} minus that of M`,
        figure: Math.abs(ofLarge - ofM),
        unit: 'ms',
        most: 20,
      },
    ],
  };
}

async function placeOf({ service }) {
  return { call: { url: `${service.url}/products`, headers: await service.token('BENCH-A') }, firstBytes: [] };
}

const label = (size) => `GET /products of ${size}, left at its first byte`;
