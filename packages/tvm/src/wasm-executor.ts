import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The parts of the Emscripten module that are used. Source: @ton/sandbox `dist/executor`, function `_run_get_method`. */
interface EmscriptenModule {
  _malloc(bytes: number): number
  _free(pointer: number): void
  _run_get_method(params: number, stack: number, config: number): number
  lengthBytesUTF8(text: string): number
  stringToUTF8(text: string, pointer: number, bytes: number): void
  UTF8ToString(pointer: number): string
}

interface WasmMemory {
  readonly buffer: ArrayBuffer
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

/** The types of Node.js leave WebAssembly to the browser's library. */
interface WebAssemblyApi {
  readonly Memory: new () => WasmMemory
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<WasmInstance>
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi }

/** Answer of the executor; `output.success` false: the input was refused. `fail`: its parameters could not be read. */
export interface ExecutorAnswer {
  readonly fail?: boolean
  readonly output?: {
    readonly success: boolean
    readonly stack?: string
    readonly gas_used?: string
    readonly vm_exit_code?: number
    readonly missing_library?: string | null
    readonly error?: string
  }
}

/**
 * TVM as the node runs it, compiled to WebAssembly. Used below the package's own `Executor`, which would parse and write every
 * cell once more in JavaScript. After any throw the instance must not be used again.
 */
export class WasmExecutor {
  #config = ''
  #configPointer = 0

  readonly #guard: Uint8Array
  readonly #guardAt: number

  private constructor(
    private readonly module: EmscriptenModule,
    private readonly memory: WasmMemory,
    guardAt: number,
  ) {
    this.#guard = new Uint8Array(GUARD_BYTES).fill(GUARD_BYTE)
    this.#guardAt = guardAt
  }

  static async create(): Promise<WasmExecutor> {
    const require = createRequire(import.meta.url)
    const createModule = require(GLUE)
    const { EmulatorEmscriptenWasm } = require('@ton/sandbox/dist/executor/emulator-emscripten.wasm.js')
    const silent = (): void => {}
    const compiled = await WebAssembly.compile(Buffer.from(EmulatorEmscriptenWasm, 'base64'))
    let instance: WasmInstance | undefined
    const module: EmscriptenModule = await createModule({
      print: silent,
      printErr: silent,
      // The module does not show its memory; its size tells when a thread has grown too big.
      instantiateWasm(imports: object, done: (instance: WasmInstance) => void) {
        WebAssembly.instantiate(compiled, imports).then((made) => {
          instance = made
          done(made)
        })
        return {}
      },
    })
    const memory = Object.values(instance?.exports ?? {}).find((value) => value instanceof WebAssembly.Memory)
    if (!instance || !memory) throw new Error('the executor has no memory of its own')
    const guardAt = moveStack(module, instance, memory as WasmMemory, require.resolve(GLUE))
    return new WasmExecutor(module, memory as WasmMemory, guardAt)
  }

  get heapBytes(): number {
    return this.memory.buffer.byteLength
  }

  /** `params`: JSON of the executor's get-method parameters; `stack`, `config`: bags of cells in base64. */
  runGetMethod(params: string, stack: string, config: string): ExecutorAnswer {
    const pointers = [this.#write(params), this.#write(stack)] as const
    const answer = this.module._run_get_method(pointers[0], pointers[1], this.#writeConfig(config))
    const text = this.module.UTF8ToString(answer)
    this.module._free(answer)
    for (const pointer of pointers) this.module._free(pointer)
    const guard = new Uint8Array(this.memory.buffer, this.#guardAt, GUARD_BYTES)
    if (Buffer.compare(guard, this.#guard) !== 0) throw new Error('the executor used up its stack')
    return JSON.parse(text) as ExecutorAnswer
  }

  /** The configuration stays in the executor's memory: it is by far the longest argument and rarely changes. */
  #writeConfig(config: string): number {
    if (config === this.#config) return this.#configPointer
    if (this.#configPointer !== 0) this.module._free(this.#configPointer)
    this.#configPointer = this.#write(config)
    this.#config = config
    return this.#configPointer
  }

  #write(text: string): number {
    const bytes = this.module.lengthBytesUTF8(text) + 1
    const pointer = this.module._malloc(bytes)
    this.module.stringToUTF8(text, pointer, bytes)
    return pointer
  }
}

const GLUE = '@ton/sandbox/dist/executor/emulator-emscripten.js'

/**
 * The executor is linked with a stack of 64 KiB above its static data. Tuples 300 deep overflow it: not with an error, but by writing over
 * the data of later calls (seen with 0.41: a contract could change the answers of other contracts). On this stack the engine's own
 * limit, which throws, is reached first.
 */
const STACK_BYTES = 32 * 1024 * 1024
const GUARD_BYTES = 64 * 1024
const GUARD_BYTE = 0xa5

/** Gives the module a bigger stack; returns where the guard below it lies. `gluePath`: the module's JavaScript, which knows the exports' short names. */
function moveStack(module: EmscriptenModule, instance: WasmInstance, memory: WasmMemory, gluePath: string): number {
  const name = /__emscripten_stack_restore=wasmExports\["(\w+)"\]/.exec(readFileSync(gluePath, 'utf8'))?.[1]
  const restore = name === undefined ? undefined : instance.exports[name]
  if (typeof restore !== 'function') throw new Error('this build of the executor does not export its stack pointer')
  const guardAt = module._malloc(GUARD_BYTES + STACK_BYTES)
  new Uint8Array(memory.buffer, guardAt, GUARD_BYTES).fill(GUARD_BYTE)
  // The stack grows downwards and is kept aligned to 16 bytes.
  restore((guardAt + GUARD_BYTES + STACK_BYTES) & ~15)
  return guardAt
}
