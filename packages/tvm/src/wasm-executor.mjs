// JavaScript rather than TypeScript, like worker.mjs: a thread without a TypeScript loader is ready in 0.1 s
// instead of 0.4 s and takes half the memory, and hostile contracts cause threads to be replaced often.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const GLUE = '@ton/sandbox/dist/executor/emulator-emscripten.js'
const BINARY = '@ton/sandbox/dist/executor/emulator-emscripten.wasm.js'

/**
 * The executor is linked with a stack of 64 KiB above its static data. Tuples nested 300 deep overflow it
 * without an error and overwrite the data of later calls, so a contract could change the answers of others
 * (observed with 0.41). With this stack, the engine's own limit, which throws, is reached first.
 */
const STACK_BYTES = 32 * 1024 * 1024
const GUARD_BYTES = 64 * 1024
const GUARD_BYTE = 0xa5

/**
 * TVM as the node runs it, compiled to WebAssembly. Bypasses the package's own `Executor`, which would parse
 * and serialise every cell again in JavaScript. After an exception the instance must not be used again.
 * Source: @ton/sandbox `dist/executor`.
 */
export class WasmExecutor {
  #config = ''
  #configPointer = 0
  #emulator
  #module
  #memory
  #guardAt
  /** 0: the last 256 characters of an emulation's log; 1: the last million. */
  #verbosity
  #guard = new Uint8Array(GUARD_BYTES).fill(GUARD_BYTE)

  /**
   * @param {object} module @param {{ readonly buffer: ArrayBuffer }} memory @param {number} guardAt Address
   * of the guard. @param {0 | 1} verbosity
   */
  constructor(module, memory, guardAt, verbosity) {
    this.#verbosity = verbosity
    this.#module = module
    this.#memory = memory
    this.#guardAt = guardAt
  }

  /** @returns {Promise<WebAssembly.Module>} */
  static async compile() {
    const compiled = await WebAssembly.compile(Buffer.from(require(BINARY).EmulatorEmscriptenWasm, 'base64'))
    // Free seven megabytes of text that are not needed again.
    delete require.cache[require.resolve(BINARY)]
    return compiled
  }

  /**
   * @param {WebAssembly.Module} compiled @param {{ verbosity: 0 | 1 }} options
   * @returns {Promise<WasmExecutor>}
   */
  static async create(compiled, { verbosity }) {
    const silent = () => {}
    let instance
    const module = await require(GLUE)({
      print: silent,
      printErr: silent,
      // The module does not expose its memory, whose size tells when a thread has grown too big.
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(compiled, imports).then((made) => {
          instance = made
          done({ exports: withMirroredTable(made.exports) })
        })
        return {}
      },
    })
    const memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory)
    if (!memory) throw new Error('the executor has no memory of its own')
    return new WasmExecutor(module, memory, moveStack(module, instance, memory), verbosity)
  }

  /** @returns {number} */
  get heapBytes() {
    return this.#memory.buffer.byteLength
  }

  /**
   * @param {string} params JSON of the executor's get-method parameters.
   * @param {string} stack Bag of cells, base64.
   * @param {string} config Bag of cells, base64.
   * @returns {{ fail?: boolean, output?: { success: boolean, stack?: string, gas_used?: string,
   *   vm_exit_code?: number, vm_log?: string, missing_library?: string | null, error?: string } }}
   *   `success` false: the input was refused. `fail`: the parameters could not be read.
   */
  runGetMethod(params, stack, config) {
    const pointers = [this.#write(params), this.#write(stack)]
    const answer = this.#module._run_get_method(pointers[0], pointers[1], this.#writeConfig(config))
    const text = this.#module.UTF8ToString(answer)
    this.#module._free(answer)
    for (const pointer of pointers) this.#module._free(pointer)
    this.#checkGuard()
    return JSON.parse(text)
  }

  /**
   * Applies one message to an account. All cells are bags in base64.
   * @param {{ config: string, libraries: string, shardAccount: string, message: string, params: string }}
   * input `params` is JSON.
   * @returns {{ fail?: boolean, output?: { success: boolean, transaction?: string, shard_account?: string,
   * actions?: string | null, external_not_accepted?: boolean, vm_exit_code?: number, vm_log?: string, error?:
   * string } }}
   */
  emulate({ config, libraries, shardAccount, message, params }) {
    const emulator = this.#emulatorFor(config)
    const pointers = [libraries, shardAccount, message, params].map((text) => this.#write(text))
    const answer = this.#module._emulate_with_emulator(emulator, ...pointers)
    const text = this.#module.UTF8ToString(answer)
    this.#module._free(answer)
    for (const pointer of pointers) this.#module._free(pointer)
    this.#checkGuard()
    return JSON.parse(text)
  }

  /**
   * Cached, because creating one parses the whole configuration (10 to 20 ms). Other state is set on every
   * call.
   */
  #emulatorFor(config) {
    if (this.#emulator?.config === config) return this.#emulator.pointer
    if (this.#emulator) this.#module._destroy_emulator(this.#emulator.pointer)
    this.#emulator = undefined
    const pointer = this.#module._create_emulator(this.#writeConfig(config), this.#verbosity)
    if (pointer === 0) throw new Error('the executor could not read the configuration')
    this.#emulator = { config, pointer }
    return pointer
  }

  #checkGuard() {
    const guard = new Uint8Array(this.#memory.buffer, this.#guardAt, GUARD_BYTES)
    if (Buffer.compare(guard, this.#guard) !== 0) throw new Error('the executor used up its stack')
  }

  /**
   * Keeps the configuration in the executor's memory: it is by far the longest argument and rarely changes.
   */
  #writeConfig(config) {
    if (config === this.#config) return this.#configPointer
    if (this.#configPointer !== 0) this.#module._free(this.#configPointer)
    this.#configPointer = this.#write(config)
    this.#config = config
    return this.#configPointer
  }

  #write(text) {
    const bytes = this.#module.lengthBytesUTF8(text) + 1
    const pointer = this.#module._malloc(bytes)
    this.#module.stringToUTF8(text, pointer, bytes)
    return pointer
  }
}

/**
 * The same exports with a table of functions that remembers what it was asked for: every call that may throw
 * looks its function up, and asking WebAssembly takes a tenth of a run. The table never changes.
 * @param {WebAssembly.Exports} exports @returns {Record<string, unknown>}
 */
function withMirroredTable(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      value instanceof WebAssembly.Table ? mirrorOf(value) : value,
    ]),
  )
}

/** @param {WebAssembly.Table} table */
function mirrorOf(table) {
  /** @type {unknown[]} */
  const known = []
  return { get: (/** @type {number} */ index) => (known[index] ??= table.get(index)) }
}

/**
 * Gives the module a larger stack and returns the address of the guard below it. The short export names are
 * found only in the module's JavaScript.
 */
function moveStack(module, instance, memory) {
  const glue = readFileSync(require.resolve(GLUE), 'utf8')
  const name = /__emscripten_stack_restore=wasmExports\["(\w+)"\]/.exec(glue)?.[1]
  const restore = name === undefined ? undefined : instance.exports[name]
  if (typeof restore !== 'function')
    throw new Error('this build of the executor does not export its stack pointer')
  const guardAt = module._malloc(GUARD_BYTES + STACK_BYTES)
  new Uint8Array(memory.buffer, guardAt, GUARD_BYTES).fill(GUARD_BYTE)
  // The stack grows downwards and is aligned to 16 bytes.
  restore((guardAt + GUARD_BYTES + STACK_BYTES) & ~15)
  return guardAt
}
