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

/** What an answer did: its client took too little, or it took too long in all. */
type TooSlow = 'stall' | 'deadline';

/**
 * Watches the bytes that leave by a socket, once a second, and tells the first time that they are too few or that the
 * time is over. @returns what ends the watch
 */
export function watchPace(
  socket: Socket,
  limits: PaceLimits,
  tooSlow: (why: TooSlow, what: string) => void,
): () => void {
  const { window, bytesPerSecond, most } = limits;
  const sent: number[] = [taken(socket)];
  const timer = setInterval(() => {
    sent.push(taken(socket));
    const before = sent.at(-1 - window);
    const slow = before !== undefined && sent.at(-1)! - before < bytesPerSecond * window;
    if (!slow && sent.length <= most) return;
    stop();
    if (slow) tooSlow('stall', `its client took less than ${bytesPerSecond} bytes/s for ${window} s`);
    else tooSlow('deadline', `it took longer than ${most} s`);
  }, 1000);
  const stop = () => clearInterval(timer);
  return stop;
}

/**
 * Bytes that the system has taken from us: those that wait in our queues are none, however large the piece that was
 * written last. The system has a buffer of its own, of a few MB, so that a slow client shows in jumps.
 */
function taken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
