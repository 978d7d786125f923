export { BlockAssembly, type BlockSymbols, type RestoreBlock, restoreBlock } from './block-assembly.ts'
export { BlockDecoder, BlockEncoder, symbolCount } from './source-block.ts'
