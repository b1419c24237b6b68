import { createHash } from 'node:crypto';
import { type BaseBlock, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import type { Attribute } from 'pkijs';

/**
 * The attribute by which a signature names its certificate, so that no other one with the same key
 * can be put in its place: of RFC 2634 (SHA-1) or RFC 5035 (any hash, SHA-256 where none is named).
 */
const FIRST = '1.2.840.113549.1.9.16.2.12';
const SECOND = '1.2.840.113549.1.9.16.2.47';
/** Hashes that are strong enough, by their object identifiers. */
export const HASHES: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

const partsOf = (block: BaseBlock | undefined): readonly BaseBlock[] =>
  block instanceof Sequence ? (block.valueBlock.value as BaseBlock[]) : [];

/** The name and value of the hash that the first certificate in an attribute is named by. */
function namedHash(attribute: Attribute): { hash: string; value: Uint8Array } | undefined {
  const [certificates] = partsOf(attribute.values[0] as BaseBlock);
  const [first] = partsOf(certificates);
  const [head, second] = partsOf(first);
  const isNamed = attribute.type === SECOND && head instanceof Sequence;
  const [oid] = partsOf(head);
  const value = isNamed ? second : head;
  const hash =
    attribute.type === FIRST
      ? 'sha1'
      : isNamed
        ? HASHES.get(oid instanceof ObjectIdentifier ? oid.getValue() : '')
        : 'sha256';
  return hash === undefined || !(value instanceof OctetString)
    ? undefined
    : { hash, value: value.valueBlock.valueHexView };
}

/** Whether the signed attributes name this certificate (DER), and none of them another one. */
export function signingCertificateFits(
  attributes: readonly Attribute[],
  certificate: Uint8Array,
): boolean {
  const naming = attributes.filter(({ type }) => type === FIRST || type === SECOND);
  return (
    naming.length > 0 &&
    naming.every((attribute) => {
      const named = namedHash(attribute);
      return (
        named !== undefined &&
        createHash(named.hash).update(certificate).digest().equals(named.value)
      );
    })
  );
}
