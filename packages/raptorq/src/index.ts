export { BlockAssembly, type BlockSymbols, type RestoreBlock, restoreBlock } from './block-assembly.ts'
export { BlockDecoder, BlockEncoder, type BlockShape, symbolCount } from './source-block.ts'
