-- Sets whose rows the following statement may see; row security reads these settings.
SELECT set_config('cobro.merchant', :merchant, false), set_config('cobro.mode', :mode, false),
    set_config('cobro.access_scope', :access_scope, false)
