/** Stops the private server of this run, if there is one. */
export default async function stopServer() {
  await globalThis.privateServer?.stop();
}
