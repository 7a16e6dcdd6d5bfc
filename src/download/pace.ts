import type { Socket } from 'node:net';

/** What a download may take. */
export interface PaceLimits {
  /** Over so many seconds … */
  window: number;
  /** … at least so many bytes a second have to go out. */
  bytesPerSecond: number;
  /** It may take so many seconds in all. */
  most: number;
}

/**
 * Watches the bytes that leave by a socket, once a second, and tells the first time that they are too few or that the
 * time is over. @returns what ends the watch
 */
export function watchPace(socket: Socket, limits: PaceLimits, tooSlow: (reason: string) => void): () => void {
  const { window, bytesPerSecond, most } = limits;
  const sent: number[] = [socket.bytesWritten];
  const timer = setInterval(() => {
    sent.push(socket.bytesWritten);
    const before = sent.at(-1 - window);
    const slow = before !== undefined && sent.at(-1)! - before < bytesPerSecond * window;
    if (!slow && sent.length <= most) return;
    stop();
    tooSlow(
      slow ? `its client took less than ${bytesPerSecond} bytes/s for ${window} s` : `it took longer than ${most} s`,
    );
  }, 1000);
  const stop = () => clearInterval(timer);
  return stop;
}
