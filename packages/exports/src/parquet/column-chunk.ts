import type { ParquetWriter } from 'hyparquet-writer'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import { snappyCompress } from 'hyparquet-writer/src/snappy.js'
import type { ColumnValues } from './column-values.ts'

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number]
type MetaData = NonNullable<ColumnChunk['meta_data']>
type Encoding = MetaData['encodings'][number]
type ParquetType = MetaData['type']

export interface ChunkOptions {
  readonly name: string
  readonly type: ParquetType
  readonly codec: 'SNAPPY' | 'UNCOMPRESSED'
}

/**
 * Writes the values of a row group as a column chunk: a dictionary, if one pays, and one data page, since row
 * groups are small. Source: parquet-format, `parquet.thrift` and Encodings.md.
 */
export function writeColumnChunk(
  writer: ByteWriter,
  values: ColumnValues,
  { name, type, codec }: ChunkOptions,
): ColumnChunk {
  const start = writer.offset
  const { plain, distinct, indexes } = values.encoded()
  let size = 0
  if (distinct !== undefined) size += writeDictionary(writer, { plain, distinct, codec })
  const dataStart = writer.offset
  const encoding: Encoding = indexes ? 'RLE_DICTIONARY' : type === 'BOOLEAN' ? 'RLE' : 'PLAIN'
  const page = indexes ? packedIndexes(indexes, distinct!) : type === 'BOOLEAN' ? packedBits(plain) : plain
  size += writeDataPage(writer, { page, encoding, values, codec })
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      codec,
      encodings: distinct === undefined ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [name],
      num_values: BigInt(values.rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(size),
      data_page_offset: BigInt(dataStart),
      ...(distinct !== undefined && { dictionary_page_offset: BigInt(start) }),
      statistics: {
        null_count: BigInt(values.rows - values.count),
        ...boundsOf(values, type),
      },
    },
  }
}

/** As the library wants them: numbers only of 32 bits. */
function boundsOf({ min, max }: ColumnValues, type: ParquetType) {
  if (min === undefined || max === undefined) return {}
  return type === 'INT32'
    ? { min_value: Number(min), max_value: Number(max) }
    : { min_value: BigInt(min), max_value: BigInt(max) }
}

type Codec = Pick<ChunkOptions, 'codec'>

/** Bytes before compression, with the header. */
function writeDictionary(
  writer: ByteWriter,
  { plain, distinct, codec }: { readonly plain: Buffer; readonly distinct: number } & Codec,
): number {
  const bytes = codec === 'SNAPPY' ? snappyCompress(plain) : plain
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: plain.length,
    compressed_page_size: bytes.length,
    dictionary_page_header: { num_values: distinct, encoding: 'PLAIN' },
  })
  const header = writer.offset - start
  writer.appendBytes(bytes)
  return header + plain.length
}

interface DataPage extends Codec {
  readonly page: Uint8Array
  readonly encoding: Encoding
  readonly values: ColumnValues
}

/** Bytes before compression, with the header. */
function writeDataPage(writer: ByteWriter, { page, encoding, values, codec }: DataPage): number {
  const levels = new ByteWriter()
  writeRleBitPackedHybrid(levels, values.levels(), 1)
  const compressed = codec === 'SNAPPY' ? snappyIfItPays(page) : page
  const isSmaller = compressed.length < page.length
  const bytes = isSmaller ? compressed : page
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.offset + page.length,
    compressed_page_size: levels.offset + bytes.length,
    data_page_header_v2: {
      num_values: values.rows,
      num_nulls: values.rows - values.count,
      num_rows: values.rows,
      encoding,
      definition_levels_byte_length: levels.offset,
      repetition_levels_byte_length: 0,
      is_compressed: isSmaller,
    },
  })
  const header = writer.offset - start
  writer.appendBytes(levels.getBytes())
  writer.appendBytes(bytes)
  return header + levels.offset + page.length
}

/** Hashes, which are much of every export, hardly become smaller: the beginning tells. */
function snappyIfItPays(page: Uint8Array): Uint8Array {
  const sample = page.subarray(0, SAMPLE)
  const compressed = snappyCompress(sample)
  if (compressed.length >= WORTHWHILE * sample.length) return page
  return sample.length === page.length ? compressed : snappyCompress(page)
}
const SAMPLE = 65_536
const WORTHWHILE = 0.9

/** Bits per number, then the numbers. */
function packedIndexes(indexes: Uint32Array, distinct: number): Uint8Array {
  const writer = new ByteWriter(indexes.length + 16)
  const width = Math.ceil(Math.log2(distinct))
  writer.appendUint8(width)
  writeRleBitPackedHybrid(writer, indexes, width)
  return writer.getBytes()
}

/** Length, then the bits. */
function packedBits(values: Uint8Array): Uint8Array {
  const bits = new ByteWriter()
  writeRleBitPackedHybrid(bits, values, 1)
  const writer = new ByteWriter(bits.offset + 4)
  writer.appendUint32(bits.offset)
  writer.appendBytes(bits.getBytes())
  return writer.getBytes()
}
