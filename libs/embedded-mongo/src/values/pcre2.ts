import { readFileSync } from 'node:fs'

/** What PCRE2 answers to a match, besides the number of pairs of its output vector. */
const noMatch = -1
const badUtf16 = new Set([-24, -25, -26])
const noMemory = -48
const limitErrors = new Set([-47, noMemory, -53, -63])

/** Why a pattern was refused, in PCRE2's words. */
export class PatternError extends Error {}
/** A match needed more steps or memory than one may. `code` is PCRE2's. */
export class MatchLimitError extends Error {
  readonly code: number
  get isOutOfMemory(): boolean {
    return this.code === noMemory
  }
  constructor(code: number) {
    super('match limit exceeded')
    this.code = code
  }
}

/** A compiled pattern in the memory of the module. */
export type Code = { pointer: number; matchData: number; captures: number }

/** Longest subject in UTF-16 units: the module's memory is 16 MB and does not grow. */
export const maxSubject = 3_000_000
/** Steps of one match: about a tenth of a second of CPU. */
const matchLimit = 500_000
const heapLimitKib = 3_000
const limits = `(*LIMIT_MATCH=${matchLimit})(*LIMIT_HEAP=${heapLimitKib})`
const reusedUnits = 65_536
// The last limit counts, so ours follow what a pattern may set at its start.
const startItems = /^(?:\(\*(?:UTF|UCP|CR|LF|CRLF|ANY|ANYCRLF|NUL|BSR_\w+|NO_\w+|NOTEMPTY(?:_ATSTART)?|LIMIT_(?:MATCH|HEAP|DEPTH|RECURSION)=\d+)\))*/

type Exports = {
  _malloc: (bytes: number) => number
  _free: (pointer: number) => void
  _compile: (pattern: number, length: number, flags: number) => number
  _lastErrorMessage: (buffer: number, length: number) => number
  _lastErrorOffset: () => number
  _destroyCode: (code: number) => void
  _createMatchData: (code: number) => number
  _destroyMatchData: (data: number) => void
  _match: (code: number, subject: number, length: number, offset: number, data: number) => number
  _getOvectorPointer: (data: number) => number
  _getCaptureCount: (code: number) => number
}

/** PCRE2 (UTF-16) with its own memory. */
export type Pcre2 = {
  /** @throws PatternError for what PCRE2 refuses, MatchLimitError when the memory is full */
  compile: (pattern: string, flags: string) => Code
  free: (code: Code) => void
  /** Forgets everything that was compiled: free memory in pieces is of no use for a long subject. */
  restart: () => void
  /** Offsets of the match and of its captures in UTF-16 units (−1: not set); undefined when nothing matches. @throws MatchLimitError */
  match: (code: Code, subject: string, from: number) => Int32Array | undefined
}

let loaded: Pcre2 | undefined

/** Loaded at the first regular expression: it costs 20 ms and 16 MB of address space. */
export function pcre2(): Pcre2 {
  loaded ??= load()
  return loaded
}

// What is used of it here; Node's types leave it to the DOM's.
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
  Table: new (limits: { initial: number; maximum: number; element: 'anyfunc' }) => object
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown }
}

// The layout of the package's module: where its heap begins, and where it stores that.
const memoryPages = 256
const heapTopPointer = 117_184
const heapStart = 5_360_256

// The module is used without the package's loader: that one ends the process at an unhandled rejection anywhere in it.
function instantiate(): { start: () => Exports; memory: ArrayBuffer } {
  const path = new URL(import.meta.resolve('@stephen-riley/pcre2-wasm/dist/libpcre2.wasm'))
  const memory = new WebAssembly.Memory({ initial: memoryPages, maximum: memoryPages })
  const bytes = new Uint8Array(memory.buffer)
  const abort = () => {
    throw new Error('PCRE2 stopped: stack overflow or a call of nothing')
  }
  const env = {
    memory,
    table: new WebAssembly.Table({ initial: 4, maximum: 4, element: 'anyfunc' }),
    __table_base: 0,
    abortStackOverflow: abort,
    nullFunc_vii: abort,
    nullFunc_iii: abort,
    _emscripten_resize_heap: () => 0,
    _emscripten_get_heap_size: () => memory.buffer.byteLength,
    _emscripten_memcpy_big: (to: number, from: number, length: number) => {
      bytes.copyWithin(to, from, from + length)
      return to
    },
  }
  const module = new WebAssembly.Module(readFileSync(path))
  const start = () => {
    bytes.fill(0)
    new Int32Array(memory.buffer)[heapTopPointer >> 2] = heapStart
    return new WebAssembly.Instance(module, { env }).exports as Exports
  }
  return { start, memory: memory.buffer }
}

function load(): Pcre2 {
  const { start, memory } = instantiate()
  let module = start()
  const bytes = Buffer.from(memory)
  const words = new Int32Array(memory)
  let subjectBuffer = { pointer: 0, units: 0 }

  const put = (pointer: number, text: string) => bytes.write(text, pointer, 'utf16le')
  const allocate = (length: number) => module._malloc(length) || raise(new MatchLimitError(noMemory))
  const withText = <R>(text: string, use: (pointer: number) => R): R => {
    const pointer = allocate(text.length * 2 + 2)
    try {
      put(pointer, text)
      return use(pointer)
    } finally {
      module._free(pointer)
    }
  }
  const errorOfPattern = () => {
    const buffer = allocate(512)
    const length = module._lastErrorMessage(buffer, 256)
    const text = bytes.toString('utf16le', buffer, buffer + length * 2)
    module._free(buffer)
    if (text.startsWith('failed to allocate')) return new MatchLimitError(noMemory)
    return new PatternError(`${text} at offset ${Math.max(0, module._lastErrorOffset() - limits.length)}`)
  }
  const subjectAt = (subject: string): number => {
    if (subjectBuffer.pointer === 0 || subject.length > subjectBuffer.units) {
      if (subjectBuffer.pointer) module._free(subjectBuffer.pointer)
      const units = Math.max(subject.length, 1_024)
      subjectBuffer = { pointer: 0, units: 0 }
      subjectBuffer = { pointer: allocate(units * 2), units }
    }
    put(subjectBuffer.pointer, subject)
    return subjectBuffer.pointer
  }
  const dropLargeSubject = () => {
    if (subjectBuffer.units <= reusedUnits) return
    module._free(subjectBuffer.pointer)
    subjectBuffer = { pointer: 0, units: 0 }
  }
  return {
    compile: (pattern, flags) =>
      withText(
        pattern.replace(startItems, items => items + limits),
        source =>
          // Flags are one byte each.
          withText('\0'.repeat(8), flagBytes => {
            bytes.write(`${flags}\0`, flagBytes, 'latin1')
            const pointer = module._compile(source, limits.length + pattern.length, flagBytes)
            if (pointer === 0) throw errorOfPattern()
            const matchData = module._createMatchData(pointer)
            if (matchData !== 0) return { pointer, matchData, captures: module._getCaptureCount(pointer) }
            module._destroyCode(pointer)
            throw new MatchLimitError(noMemory)
          }),
      ),
    free: ({ pointer, matchData }) => {
      module._destroyMatchData(matchData)
      module._destroyCode(pointer)
    },
    restart: () => {
      module = start()
      subjectBuffer = { pointer: 0, units: 0 }
    },
    match: ({ pointer, matchData, captures }, subject, from) => {
      const result = module._match(pointer, subjectAt(subject), subject.length, from, matchData)
      dropLargeSubject()
      if (result === noMatch || badUtf16.has(result)) return undefined
      if (result < 0) throw limitErrors.has(result) ? new MatchLimitError(result) : new Error(`PCRE2 answered ${result}`)
      const start = module._getOvectorPointer(matchData) >> 2
      return words.slice(start, start + 2 * (captures + 1))
    },
  }
}

function raise(error: Error): never {
  throw error
}
