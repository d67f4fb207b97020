import { mkdirSync, writeFileSync } from 'node:fs'
import { documents } from './documents.ts'

const folder = new URL('../../../docs/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(documents())) writeFileSync(new URL(name, folder), text)
