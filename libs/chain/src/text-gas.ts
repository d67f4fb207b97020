const perWord = 22_500n
/** Calldata, memory and log. */
const perByte = 45n

/** Gas of a text that a contract writes into its storage and emits in an event, in UTF-8: the length of a description decides what its call costs. */
export const storedTextGas = (text: string): bigint => spokenTextGas(text) + perWord * BigInt(Math.ceil(Buffer.byteLength(text) / 32))

/** Gas of a text that is only emitted in an event. */
export const spokenTextGas = (text: string): bigint => perByte * BigInt(Buffer.byteLength(text))
