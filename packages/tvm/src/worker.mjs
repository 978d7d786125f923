import { parentPort, workerData } from 'node:worker_threads'
import { WasmExecutor } from './wasm-executor.mjs'

/**
 * @import { EmulateMessage, EnvironmentMessage, RunMessage, WorkerReply, WorkerRequest } from './protocol.ts'
 */

if (!parentPort) throw new Error('tvm worker: started outside a worker thread')
const port = parentPort
/** @type {number} */
const maxEnvironments = workerData.maxEnvironments
/** @type {WebAssembly.Module | undefined} */
const given = workerData.compiled
const compiled = given ?? (await WasmExecutor.compile())
const executor = await WasmExecutor.create(compiled, { verbosity: workerData.countsSteps ? 1 : 0 })
/** @type {Map<number, EnvironmentMessage>} */
const environments = new Map()

port.on('message', (/** @type {WorkerRequest} */ request) => {
  if (request.type === 'run' || request.type === 'emulate') {
    answer(request.type === 'run' ? run(request) : emulate(request))
    return
  }
  environments.set(request.id, request)
  if (environments.size > maxEnvironments) environments.delete(environments.keys().next().value)
})
answer({ type: 'ready', ...(!given && { compiled }) })

/** @param {WorkerReply} reply */
function answer(reply) {
  port.postMessage(reply)
  if (reply.type === 'broken') port.close()
}

/** @param {RunMessage} request @returns {WorkerReply} */
function run(request) {
  const { task } = request
  const environment = environments.get(request.environment)
  if (!environment)
    return { type: 'refused', task, error: 'unknown environment', heapBytes: executor.heapBytes }
  try {
    const { output, fail } = executor.runGetMethod(
      parameters(request, environment),
      request.stack,
      environment.config,
    )
    if (fail || !output) return { type: 'broken', task, error: 'the executor could not read its parameters' }
    if (!output.success || output.stack === undefined)
      return {
        type: 'refused',
        task,
        error: output.error ?? 'no reason given',
        heapBytes: executor.heapBytes,
      }
    return {
      type: 'done',
      task,
      exitCode: output.vm_exit_code ?? -1,
      gasUsed: Number(output.gas_used ?? 0),
      stack: output.stack,
      missingLibrary: output.missing_library ?? null,
      missesPreviousBlocks: missesPreviousBlocks(request, output),
      readsConfig: READS_CONFIG.test(output.vm_log ?? ''),
      readsMoment: READS_MOMENT.test(output.vm_log ?? ''),
      heapBytes: executor.heapBytes,
    }
  } catch (error) {
    return { type: 'broken', task, error: whyItEnded(error) }
  }
}

/**
 * Null as a `VmStackValue`: given nothing, an emulator would keep the previous blocks of the preceding call.
 */
const NO_PREVIOUS_BLOCKS = 'te6ccgEBAQEAAwAAAgA='

/**
 * There was no code to run or no money for it. Source: node, crypto/block/transaction.cpp,
 * `Collator::create_ordinary_transaction`, error -701.
 */
const REFUSED_UNREAD = /inbound external message rejected by account/

/** @param {EmulateMessage} request @returns {WorkerReply} */
function emulate(request) {
  const { task } = request
  const environment = environments.get(request.environment)
  if (!environment)
    return { type: 'refused', task, error: 'unknown environment', heapBytes: executor.heapBytes }
  try {
    const { output, fail } = executor.emulate({
      config: environment.config,
      libraries: environment.libraries,
      shardAccount: request.shardAccount,
      message: request.message,
      params: JSON.stringify({
        utime: request.now,
        lt: request.lt,
        rand_seed: request.seed,
        ignore_chksig: request.ignoreSignatures,
        debug_enabled: false,
        prev_blocks_info: request.previousBlocks ?? NO_PREVIOUS_BLOCKS,
      }),
    })
    if (fail || !output) return { type: 'broken', task, error: 'the executor could not read its parameters' }
    if (!output.success && !output.external_not_accepted && !REFUSED_UNREAD.test(output.error ?? ''))
      return {
        type: 'refused',
        task,
        error: output.error ?? 'no reason given',
        heapBytes: executor.heapBytes,
      }
    return emulated(request, output)
  } catch (error) {
    return { type: 'broken', task, error: whyItEnded(error) }
  }
}

/**
 * An exception inside WebAssembly is the address of its text, which nobody can read any more, or the advice
 * of its compiler.
 * @param {unknown} error
 */
const whyItEnded = (error) =>
  error instanceof Error && !error.message.startsWith('Aborted(')
    ? error.message
    : 'the executor ended with an exception, as it does on damaged cells and without memory'

/** @param {EmulateMessage} request @returns {WorkerReply} */
const emulated = (request, output) => ({
  type: 'emulated',
  task: request.task,
  transaction: output.transaction ?? null,
  shardAccount: output.shard_account ?? null,
  actions: output.actions ?? null,
  exitCode: output.vm_exit_code ?? null,
  ...(output.transaction === undefined && { refusedRun: refusedRun(output.vm_log ?? '') }),
  missesPreviousBlocks: missesPreviousBlocks(request, output),
  heapBytes: executor.heapBytes,
})

/**
 * Instructions in the executor's log that read the previous blocks; the last three can, because they access
 * c7 or an element chosen at run time. No other instruction reads element 13 of the contract's parameters.
 */
const READS_PREVIOUS_BLOCKS = new RegExp(
  '^execute (?:PREV(?:BLOCKSINFOTUPLE|MCBLOCKS|MCBLOCKS_100|KEYBLOCK)|' +
    'GETPARAMLONG 13|PUSH c7|PUSHCTRX|GETGLOBVAR)$',
  'm',
)

/**
 * Whether a run without previous blocks tried to read them.
 * @param {RunMessage | EmulateMessage} request @param {{ vm_log?: string }} output
 */
const missesPreviousBlocks = ({ previousBlocks }, { vm_log }) =>
  previousBlocks === undefined && vm_log !== undefined && READS_PREVIOUS_BLOCKS.test(vm_log)

/** The same for the configuration, except its prices: element 9 of the contract's parameters. */
const READS_CONFIG =
  /^execute (?:CONFIG(?:ROOT|DICT|PARAM|OPTPARAM)|GETPARAMLONG 9|PUSH c7|PUSHCTRX|GETGLOBVAR)$/m

/** The same for the time and the balance: elements 3 and 7. The lt is that of no block. */
const READS_MOMENT =
  /^execute (?:NOW|BALANCE|GETEXTRABALANCE|GETPARAMLONG [37]|PUSH c7|PUSHCTRX|GETGLOBVAR)$/m

/** Characters of the log that a node reports. Source: node, crypto/vm/log.h, `VmLog`. */
const LOG_TAIL = 256

/**
 * What a node reports of a run that did not accept its message.
 * @param {string} log
 */
const refusedRun = (log) => ({
  steps: log.match(/^execute /gm)?.length ?? 0,
  logTail: log.slice(-LOG_TAIL),
})

/** @param {RunMessage} request @param {EnvironmentMessage} environment */
function parameters(request, { libraries }) {
  return JSON.stringify({
    code: request.code,
    data: request.data,
    verbosity: 0,
    // An empty string would keep the libraries of the previous call.
    libs: libraries,
    address: request.address,
    unixtime: request.now,
    balance: request.balance,
    rand_seed: request.seed,
    gas_limit: request.gasLimit,
    method_id: request.methodId,
    debug_enabled: false,
    ...(request.previousBlocks === undefined ? {} : { prev_blocks_info: request.previousBlocks }),
    ...(request.extraCurrencies ? { extra_currencies: request.extraCurrencies } : {}),
  })
}
