export { type Exception, type Glossary, type PrivateWord, readGlossary } from './glossary.ts'
export { type Finding, privateWordsIn } from './private-words.ts'
export { type Spoken, spokenIn } from './spoken.ts'
