// Worker thread that answers previews, with connections and caches of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sleep } from '@shardwalk/concurrency'
import { createLogger, createShutdown, RelayedMetrics } from '@shardwalk/observability'
import { readConfig } from '../config.ts'
import { BROTLI, COMPRESSED_FROM } from '../http/encodings.ts'
import { toFailure } from '../http/errors.ts'
import { openLiteServices } from '../lite-services.ts'
import { openDatabases } from '../open-databases.ts'
import { openServices } from '../open-services.ts'
import { emulationFailure } from './failures.ts'
import type { PreviewEncoding, PreviewQuestion, PreviewReply } from './preview.ts'
import type { FromPreviewThread, PreviewFailure, ToPreviewThread } from './preview-messages.ts'
import { PreviewsHere } from './previews-here.ts'

/** Of a preview, reads take less than a tenth of the time. */
const POOL_SIZE = 3
/** How often to look for lite servers, which may not be known yet. Milliseconds. */
const CHECK_AGAIN_MS = 50
/** How often metrics are passed on. Milliseconds. */
const METRICS_MS = 1_000
/** What an encoder writes to at a time, which Node.js 24 keeps until a major collection. Bytes. */
const ENCODED_BYTES = 4_096
/** Nearly as small as with the default level, in half the time. */
const GZIP_LEVEL = 3

const config = readConfig(workerData.settings)
const log = createLogger({
  level: config.logLevel,
  format: config.logFormat,
  fields: { process: 'api', thread: 'previews' },
})
const relayed = new RelayedMetrics()
const around = { log, shutdown: createShutdown({ log }), metrics: relayed.registry }
const { replicas, db, headDb, writableDb } = openDatabases({ ...config, poolSize: POOL_SIZE }, around)
const services = openServices({
  db,
  headDb,
  replicas,
  writableDb,
  log,
  metrics: relayed.registry,
  lite: openLiteServices({ ...config, pending: false }, { ...around, isBackground: false }),
  profile: config.profile,
  imageProxy: config.imageProxy,
  marketplaces: config.marketplaces,
  maxReplyBytes: config.maxReplyBytes,
})
const previews = new PreviewsHere(services, config.emulationTimeoutMs)
/** Aborts the answer of an open question, by its id. */
const asking = new Map<number, AbortController>()

while (!services.node()) await sleep(CHECK_AGAIN_MS, around.shutdown.signal)
parentPort!.on('message', (message: ToPreviewThread) => {
  if ('left' in message) asking.get(message.id)?.abort(new Error('the answer is not needed'))
  else void answer(message.id, message.question)
})
post('ready')
setInterval(() => post({ metrics: relayed.take() }), METRICS_MS)

async function answer(id: number, question: PreviewQuestion): Promise<void> {
  const leaving = new AbortController()
  asking.set(id, leaving)
  try {
    const reply = compressed(await previews.answer(question, leaving.signal), question.encoding)
    post({ id, reply }, typeof reply.body === 'string' ? [] : [reply.body.buffer as ArrayBuffer])
  } catch (error) {
    post({ id, failure: failureOf(error) })
  } finally {
    asking.delete(id)
  }
}

/** Here, so that the thread that sends it has little to do. */
function compressed(reply: PreviewReply, encoding: PreviewEncoding | undefined): PreviewReply {
  const { body, timing } = reply
  if (encoding === undefined || body.length < COMPRESSED_FROM) return reply
  const bytes =
    encoding === 'gzip'
      ? gzipSync(body, { level: GZIP_LEVEL, chunkSize: ENCODED_BYTES })
      : brotliCompressSync(body, { ...BROTLI, chunkSize: ENCODED_BYTES })
  // Memory of its own, which can be handed over.
  return { body: new Uint8Array(bytes), encoding, timing }
}

function failureOf(error: unknown): PreviewFailure {
  const foreseen = emulationFailure(error)
  if (foreseen) return { status: foreseen.status, message: foreseen.message, headers: foreseen.headers }
  const { ours, ...failure } = toFailure(error)
  if (ours) log.error('preview failed', { error })
  return failure
}

function post(message: FromPreviewThread, moved: readonly ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, moved)
}
