import { serializeBoc } from '@shardwalk/cells'
import { sleep } from '@shardwalk/concurrency'
import { type Replay, recordedMessages } from '@shardwalk/replay'

/** Messages sent for one block: a client that watches can follow as many. */
const MAX_PER_BLOCK = 3
const REQUEST_MS = 5_000
const READY_POLL_MS = 250

/** A message that the demo has sent to the API. */
export interface Sent {
  /** Masterchain block that commits what the message causes. */
  readonly seqno: number
  /** Standard base64, as `message_hash_norm` of the API's reply; undefined: refused. */
  readonly hashNorm?: string
  /** Why it was refused. */
  readonly problem?: string
}

export interface PlayOptions {
  /** Address of the API, such as `http://127.0.0.1:8081`. */
  readonly base: string
  readonly replay: Replay
  /** Masterchain blocks per second. */
  readonly speed: number
  readonly signal: AbortSignal
  readonly onSent: (sent: Sent) => void
}

/**
 * Moves the head of a recording to its end, and before every block sends messages that the block has to the
 * API. Begins when the API can answer. Resolves at the end, or when the signal is aborted.
 */
export async function play({ base, replay, speed, signal, onSent }: PlayOptions): Promise<void> {
  const { recording, headSeqno } = replay.chain
  while (!signal.aborted && !(await canAnswer(base))) await sleep(READY_POLL_MS, signal)
  for (let seqno = headSeqno + 1; seqno <= recording.last && !signal.aborted; seqno++) {
    const [untilSigned, moves] = [sleep(500 / speed, signal), sleep(1000 / speed, signal)]
    const messages = (await recordedMessages(recording, seqno)).slice(0, MAX_PER_BLOCK)
    for (const message of messages)
      onSent({ seqno, ...(await send(base, serializeBoc(message).toString('base64'))) })
    await untilSigned
    replay.setSigned(seqno)
    await moves
    replay.setHead(seqno)
  }
}

const canAnswer = async (base: string): Promise<boolean> =>
  (await ask(`${base}/readyz`))?.status === 200 &&
  (await ask(`${base}/api/v2/getMasterchainInfo`))?.status === 200

async function send(base: string, boc: string): Promise<Pick<Sent, 'hashNorm' | 'problem'>> {
  const reply = await ask(`${base}/api/v3/message`, { boc })
  if (!reply) return { problem: 'the API does not answer' }
  const { message_hash_norm: hashNorm, error } = reply.body as {
    message_hash_norm?: string
    error?: string
  }
  return hashNorm === undefined ? { problem: firstLines(error ?? `status ${reply.status}`) } : { hashNorm }
}

/** Without the log of the virtual machine. */
const firstLines = (text: string): string => text.split('\n').slice(0, 3).join(' ')

async function ask(url: string, body?: object): Promise<{ status: number; body: unknown } | undefined> {
  const request = body && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  try {
    const reply = await fetch(url, { ...request, signal: AbortSignal.timeout(REQUEST_MS) })
    return { status: reply.status, body: await reply.json() }
  } catch {
    return undefined
  }
}
