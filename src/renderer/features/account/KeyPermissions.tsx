import { CheckField } from '../../ui/Field.tsx';
import { t } from '../../text/t.ts';

/** What an agent's key may be for. */
export type KeyScope = 'read' | 'suggest' | 'write' | 'delete';

/** What the key may do. Whoever may write may suggest, too. */
export function KeyPermissions({
  mayWrite,
  scopes,
  onScopes,
}: {
  mayWrite: boolean;
  scopes: readonly KeyScope[];
  onScopes: (scopes: KeyScope[]) => void;
}) {
  return (
    <fieldset className="form-group">
      <legend className="field-label">{t('Permissions')}</legend>
      <CheckField
        label={t('Read')}
        hint={t('List and retrieve everything in this account.')}
        checked
        disabled
        onChecked={() => undefined}
      />
      <CheckField
        label={t('Suggest')}
        hint={t('Suggest outcomes. Nothing of it counts until a person accepts it.')}
        disabled={!mayWrite || scopes.includes('write')}
        checked={scopes.some((scope) => scope === 'suggest' || scope === 'write')}
        onChecked={(on) => onScopes(on ? ['read', 'suggest'] : ['read'])}
      />
      <CheckField
        label={t('Write')}
        hint={
          mayWrite
            ? t('Create projects and cases, record evidence, start runs.')
            : t('A viewer makes keys that read.')
        }
        disabled={!mayWrite}
        checked={scopes.includes('write')}
        onChecked={(on) => onScopes(on ? ['read', 'write'] : ['read', 'suggest'])}
      />
      <CheckField
        label={t('Remove')}
        hint={t('Remove items and cases, and bring removed ones back.')}
        disabled={!mayWrite || !scopes.includes('write')}
        checked={scopes.includes('delete')}
        onChecked={(on) => onScopes(on ? ['read', 'write', 'delete'] : ['read', 'write'])}
      />
    </fieldset>
  );
}
