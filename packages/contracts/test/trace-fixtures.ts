import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const FOLDER = new URL('../../../fixtures/traces/', import.meta.url)

interface TraceMessage {
  /** `0x` + 8 hex digits, or null. */
  readonly opcode: string | null
  readonly body: Buffer
  readonly initState: Buffer | undefined
}

/** Every message of the recorded mainnet traces. */
export function* traceMessages(): Generator<TraceMessage> {
  for (const name of readdirSync(FOLDER).filter((file) => /\.json(\.gz)?$/.test(file))) {
    const bytes = readFileSync(new URL(name, FOLDER))
    const trace = JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
    for (const transaction of trace.transactions)
      for (const message of transaction.messages)
        yield {
          opcode: message.opcode,
          body: Buffer.from(message.body, 'base64'),
          initState: message.init_state === null ? undefined : Buffer.from(message.init_state, 'base64'),
        }
  }
}
