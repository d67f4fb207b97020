import { readdirSync } from 'node:fs'
import type { Attack } from './attack.ts'

/** All attacks by name: what the files of a folder export, in order of the names of the files. */
export async function allAttacks(folder = new URL('./attacks/', import.meta.url)): Promise<Map<string, Attack>> {
  const files = readdirSync(folder)
    .filter(file => /^[a-z-]+\.m?js$/.test(file))
    .sort()
  const tables = await Promise.all(files.map(async file => (await import(new URL(file, folder).href)).default as Record<string, Attack>))
  return new Map(tables.flatMap(table => Object.entries(table)))
}
